(import '../lib/presets.libsonnet').meister
