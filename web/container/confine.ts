/*
 * A container's Worker is of the page's origin. What its module finds there is the language, and what
 * computes, keeps time and forms requests and answers; nothing that leads to the page's storage, to
 * its other scripts or to a network that is not the cluster's. By what stays, not by what goes: what
 * browsers add later is not there either.
 */

/** Names of a Worker's scope that stay beside those of the language. */
const STAYS = new Set([
  "AbortController", "AbortSignal", "Blob", "ByteLengthQueuingStrategy", "CompressionStream",
  "CountQueuingStrategy", "Crypto", "CryptoKey", "CustomEvent", "DOMException", "DecompressionStream",
  "Event", "EventTarget", "File", "FormData", "Headers", "Performance", "ReadableByteStreamController",
  "ReadableStream", "ReadableStreamBYOBReader", "ReadableStreamBYOBRequest",
  "ReadableStreamDefaultController", "ReadableStreamDefaultReader", "Request", "Response",
  "SubtleCrypto", "TextDecoder", "TextDecoderStream", "TextEncoder", "TextEncoderStream",
  "TransformStream", "TransformStreamDefaultController", "URL", "URLSearchParams", "WebAssembly",
  "WritableStream", "WritableStreamDefaultController", "WritableStreamDefaultWriter",
  "atob", "btoa", "clearInterval", "clearTimeout", "console", "constructor", "crypto", "performance",
  "queueMicrotask", "self", "setInterval", "setTimeout", "structuredClone",
]); // prettier-ignore

/** Names of the language, which every scope has. */
const LANGUAGE = new Set([
  "AggregateError", "Array", "ArrayBuffer", "AsyncDisposableStack", "Atomics", "BigInt", "BigInt64Array",
  "BigUint64Array", "Boolean", "DataView", "Date", "DisposableStack", "Error", "EvalError",
  "FinalizationRegistry", "Float16Array", "Float32Array", "Float64Array", "Function", "Infinity",
  "Int16Array", "Int32Array", "Int8Array", "Intl", "Iterator", "JSON", "Map", "Math", "NaN", "Number",
  "Object", "Promise", "Proxy", "RangeError", "ReferenceError", "Reflect", "RegExp", "Set", "String",
  "SuppressedError", "Symbol", "SyntaxError", "Temporal", "TypeError", "URIError", "Uint16Array",
  "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakMap", "WeakRef", "WeakSet", "decodeURI",
  "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "eval", "globalThis", "isFinite",
  "isNaN", "parseFloat", "parseInt", "undefined", "unescape",
]); // prettier-ignore

/**
 * Takes everything else out of a scope and what it inherits, up to `top`, which others inherit from,
 * too. Throws if something cannot be taken out: then nothing may run there.
 */
export function confine(scope: object, top: object): void {
  for (let at: object | null = scope; at && at !== top; at = Reflect.getPrototypeOf(at)) {
    if (at === Object.prototype) break;
    for (const name of Object.getOwnPropertyNames(at)) {
      if (STAYS.has(name) || LANGUAGE.has(name)) continue;
      if (Reflect.deleteProperty(at, name)) continue;
      const left = Reflect.getOwnPropertyDescriptor(at, name);
      if (typeof left?.value === "number") continue; // a constant, which leads nowhere
      throw new Error(`${name} of the Worker's scope cannot be taken out`);
    }
  }
}
