/** Whether a device has the memory that a cluster takes, as far as its browser tells. */
export interface Memory {
  /**
   * "little": the browser is likely to end the tab. "doubtful": a phone whose browser does not say how
   * much there is. "enough" is all others.
   */
  readonly is: "enough" | "doubtful" | "little";
  /** A sentence for the reader; "" if there is enough. */
  readonly says: string;
}

/** Gigabytes below which a browser is likely to end a tab that holds a cluster, beside all else that it has open. */
const ENOUGH = 2;
/** CSS pixels of a screen's shorter side, below which it is a phone's. */
const PHONE = 600;

/** What is known of this device. Nothing is started and nothing downloaded. */
export function memoryHere(): Memory {
  // Rounded by the browser, so that it tells nobody apart. Firefox and Safari do not say.
  const { deviceMemory } = globalThis.navigator as { deviceMemory?: number };
  return memoryOf(deviceMemory, onPhone());
}

/** What is known of a device with so many gigabytes, or one whose browser does not say. */
export function memoryOf(gigabytes: number | undefined, phone: boolean): Memory {
  if (gigabytes !== undefined && gigabytes < ENOUGH) {
    const says = `This device has ${gigabytes} GB of memory, of which a cluster takes about half a gigabyte: the browser may end it. A computer does better.`;
    return { is: "little", says };
  }
  if (gigabytes === undefined && phone) {
    const says =
      "A cluster takes about half a gigabyte of memory: a phone's browser may end it. A computer does better.";
    return { is: "doubtful", says };
  }
  return { is: "enough", says: "" };
}

function onPhone(): boolean {
  const { width, height } = globalThis.screen;
  return matchMedia("(pointer: coarse)").matches && Math.min(width, height) < PHONE;
}
