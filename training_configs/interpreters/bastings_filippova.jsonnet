(import '../lib/presets.libsonnet').bastings_filippova
