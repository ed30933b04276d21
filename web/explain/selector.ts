/** metav1.LabelSelector. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/**
 * Whether labels are selected, as upstream's LabelSelectorAsSelector has it (k8s.io/apimachinery
 * pkg/apis/meta/v1/helpers.go): nothing is selected by none, everything by an empty one.
 */
export function selects(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  if (!selector) return false;
  const has = (key: string) => Object.hasOwn(labels, key);
  const all = Object.entries(selector.matchLabels ?? {});
  if (!all.every(([key, value]) => has(key) && labels[key] === value)) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const within = has(key) && values.includes(labels[key] ?? "");
    if (operator === "In") return within;
    if (operator === "NotIn") return !within;
    if (operator === "Exists") return has(key);
    return operator === "DoesNotExist" && !has(key);
  });
}

/** A selector as `kubectl get -l` takes it. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  return [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      if (operator === "In") return `${key} in (${values.join(",")})`;
      if (operator === "NotIn") return `${key} notin (${values.join(",")})`;
      return operator === "Exists" ? key : `!${key}`;
    }),
  ].join(",");
}
