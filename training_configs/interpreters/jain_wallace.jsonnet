(import '../lib/presets.libsonnet').jain_wallace
