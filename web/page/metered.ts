/** The Network Information API, which only some browsers have (https://wicg.github.io/netinfo/). */
interface Connection {
  saveData?: boolean;
  type?: string;
}

/** Whether bytes are dear here, as far as the browser says: asked for less data, or on a phone's net. */
export function metered(
  { saveData, type }: Connection = (navigator as { connection?: Connection }).connection ?? {},
): boolean {
  return saveData === true || type === "cellular";
}
