/* A kind of our own, and one of it: ships, which need a mast. */
export const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ships.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Ship, plural: ships, singular: ship, shortNames: [shp]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Masts, type: integer, jsonPath: .spec.masts}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [masts]
            properties:
              masts: {type: integer, minimum: 1, description: How many masts she has.}
`;
export const SHIP = `apiVersion: example.com/v1
kind: Ship
metadata:
  name: pinta
spec:
  masts: 3
`;
