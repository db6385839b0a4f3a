(import '../lib/presets.libsonnet').debate
