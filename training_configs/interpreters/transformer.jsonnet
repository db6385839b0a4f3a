(import '../lib/presets.libsonnet').transformer
