// Every perturbation that needs no other file.
(import 'jain_wallace.jsonnet') + (import 'serrano_smith.jsonnet')
