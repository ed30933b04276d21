/**
 * Registers an element. A name that is taken, because the script was loaded twice or stands beside
 * another version of itself, is left to who has it, and this one gets a number: each copy makes its
 * own elements, by their classes, and neither fails.
 */
export function define(name: string, element: CustomElementConstructor): void {
  if (customElements.getName(element) !== null) return;
  let free = name;
  for (let n = 2; customElements.get(free) !== undefined; n++) free = `${name}-${n}`;
  customElements.define(free, element);
}
