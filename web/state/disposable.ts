/** Something that holds on to something until it is told to let go. */
export interface Disposable {
  /** Lets go of it; once more does nothing. */
  dispose(): void;
}

/** Lets go of many things at once, the last first. */
export class Disposables implements Disposable {
  readonly #held: Disposable[] = [];

  add<T extends Disposable>(item: T): T {
    this.#held.push(item);
    return item;
  }

  /** Listens until disposed. */
  listen<K extends keyof WindowEventMap>(
    target: EventTarget,
    type: K,
    listener: (event: WindowEventMap[K]) => void,
    options?: AddEventListenerOptions,
  ): void {
    target.addEventListener(type, listener as EventListener, options);
    this.add({
      dispose: () => target.removeEventListener(type, listener as EventListener, options),
    });
  }

  dispose(): void {
    for (const item of this.#held.splice(0).reverse()) item.dispose();
  }
}
