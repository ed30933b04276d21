import { afterEach, expect, test, vi } from "vitest";
import { encode, decode, FROM, TO, utf8 } from "../container/message.ts";
import { ContainerWorker, type Place } from "./container-worker.ts";
import { FrameLink } from "./frame-link.ts";

afterEach(() => void vi.useRealTimers());

const start = () => encode(FROM.start, 0, utf8('{"module":"https://a/b.js"}'));
const place = () => {
  const [postMessage, terminate] = [vi.fn(), vi.fn()];
  return { place: { postMessage, terminate } as unknown as Place, postMessage, terminate };
};

test("it is looked for a place by the module, and nothing that was said before is lost", async () => {
  const there = place();
  let found: (place: Place) => void = () => undefined;
  const find = vi.fn(() => new Promise<Place>((resolve) => (found = resolve)));
  const worker = new ContainerWorker(7, find);
  const heard: string[] = [];
  worker.onmessage = ({ data }) => heard.push(decode(data as Uint8Array<ArrayBuffer>).kind);
  worker.postMessage(start(), []);
  worker.postMessage(encode(FROM.ping, 1), []);
  worker.postMessage(encode(FROM.signal, 15), []);
  expect(find).toHaveBeenCalledWith(worker, "https://a/b.js");
  expect(heard).toEqual([]); // not before the program has come back
  await Promise.resolve();
  expect(heard).toEqual([TO.pong]);
  found(there.place);
  await vi.waitFor(() => expect(there.postMessage).toHaveBeenCalledTimes(2));
});

test("one that is ended before it has a place ends there", async () => {
  const there = place();
  const worker = new ContainerWorker(7, () => Promise.resolve(there.place));
  worker.postMessage(start(), []);
  worker.terminate();
  await vi.waitFor(() => expect(there.terminate).toHaveBeenCalled());
  expect(there.postMessage).not.toHaveBeenCalled();
});

/** A frame's end of a link, and a Worker that begins there. */
function linked() {
  const port = { postMessage: vi.fn(), close: vi.fn() } as unknown as MessagePort;
  const gone = vi.fn();
  const link = new FrameLink(port, gone);
  const say = (data: unknown): unknown => port.onmessage?.({ data } as MessageEvent);
  const worker = new ContainerWorker(1, () => Promise.resolve(undefined));
  worker.onclose = vi.fn();
  worker.onerror = vi.fn();
  return { port, gone, link, say, worker, begun: link.begin(worker, "https://a/b.js") };
}

test("a frame that does not answer is gone, with all its containers", async () => {
  vi.useFakeTimers();
  const { gone, say, worker, link, begun } = linked();
  say({ type: "begun", number: 1, begun: true });
  await begun;
  for (let n = 1; n <= 20; n++) {
    vi.advanceTimersByTime(1000);
    say({ type: "pong", number: n });
  }
  expect(gone).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10_000);
  expect(gone).toHaveBeenCalledTimes(1);
  expect(worker.onclose).toHaveBeenCalledTimes(1);
  expect(await link.begin(worker, "https://a/b.js")).toBe("gone");
});

test("a frame that lies is given up, and answers of nobody's are passed over", async () => {
  const { gone, say, worker, begun } = linked();
  say({ type: "failed", number: 9, message: "x" });
  say({ type: "pong", number: 1000 });
  expect(worker.onerror).not.toHaveBeenCalled();
  say("garbage");
  expect(await begun).toBe("gone");
  expect(worker.onclose).not.toHaveBeenCalled(); // who looked for a place tells it
  expect(gone).toHaveBeenCalledTimes(1);
});

test("a module that the frame may not read begins elsewhere, and one that has begun does not begin again", async () => {
  const one = linked();
  one.say({ type: "begun", number: 1, begun: false });
  expect(await one.begun).toBe("unread");
  const other = linked();
  other.say({ type: "begun", number: 1, begun: true });
  other.say({ type: "begun", number: 1, begun: false });
  const there = (await other.begun) as Place;
  other.say({ type: "failed", number: 1, message: "lost" });
  expect(other.worker.onerror).toHaveBeenCalledTimes(1);
  there.terminate();
});
