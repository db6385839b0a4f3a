(import '../lib/presets.libsonnet').all
