(import '../lib/presets.libsonnet').neely_schouten
