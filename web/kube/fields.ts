/**
 * A field selector; values are quoted as k8s.io/apimachinery/pkg/fields, EscapeValue, so that a name
 * with a comma or an equals sign selects itself and nothing else.
 */
export function fieldSelector(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([field, value]) => `${field}=${value.replace(/[\\,=]/g, "\\$&")}`)
    .join(",");
}
