import { nothing, svg } from "lit";
import type { TraceObject, TraceStep } from "../rpc/protocol.ts";
import { turnsBack } from "../trace/told.ts";
import { sentence } from "../trace/words.ts";
import type { Answer } from "./besides.ts";
import { whoAt } from "./at-node.ts";
import { MEANS, WORDS, wordsAt } from "./binding.ts";
import { byKey, drawPods, drawQueue, drawStops, line } from "./draw.ts";
import type { Making, Moment, Score } from "./moment.ts";
import { bindingTo, route } from "./lines.ts";
import { startedOf } from "./standing.ts";
import { stationWords } from "./station-words.ts";
import { originOf, placeOf, type Place, type Scene } from "./scene.ts";
import { bindOf } from "./schedulers.ts";
import { wayBack, type WayBack } from "./way-back.ts";

const NOBODY: ReadonlySet<string> = new Set();

const LABEL = { anchor: "middle", dx: 0, name: 32, small: 52, room: 128 } as const;

/** What the drawing shows. */
export interface Drawn {
  readonly scene: Scene;
  readonly moment: Moment;
  /** Slowly: the step that it stands at. */
  readonly step: TraceStep | undefined;
  /** The step that is pointed at elsewhere. */
  readonly pointed: TraceStep | undefined;
  /** Where the command was turned back. */
  readonly refused: TraceStep | undefined;
  /** What goes back after the step. */
  readonly answer: Answer | undefined;
  /** All steps that the trace holds. */
  readonly steps: ReadonlyMap<number, TraceStep>;
  readonly look: (step: TraceStep) => void;
  /** The last step at each place, by its id. */
  readonly lasts: ReadonlyMap<string, TraceStep>;
  readonly open: (object: TraceObject) => void;
}

/** The machine with what one moment of a command has made of it; what moves is put into its last group. */
export function drawing(on: Drawn) {
  const { scene, moment, step } = on;
  const { places, ways, server, title, manager, width, height } = scene;
  const here = step && placeOf(step, scene);
  const from = step && originOf(step, on.steps, scene);
  const back = step && on.answer && wayBack(step, on.answer, on.steps, scene);
  const pointed = on.pointed && placeOf(on.pointed, scene);
  return svg`<svg viewBox="0 0 ${width} ${height}" role="group" aria-label=${said(moment, here)}>
    <rect class="frame" x=${server.x} y=${server.y} width=${server.width} height=${server.height} rx="6" />
    <text class="small" x=${title.x} y=${title.y}>kube-apiserver</text>
    ${manager ? svg`<rect class="frame" x=${manager.x} y=${manager.y} width=${manager.width} height=${manager.height} rx="6"><title>These controllers are parts of one process, kube-controller-manager</title></rect>` : nothing}
    ${ways.map(({ points }) => line(points, "way"))}
    ${here && from ? line(route(from, here, scene), "now") : nothing}
    ${back ? line(back.points, "answer") : nothing}
    ${step ? drawBinding(step, on) : nothing}
    ${[...places.values()].map((place) => drawPlace(on, place, place === here || place === pointed, place === here))}
    ${back ? drawCode(back) : nothing}
    ${here ? drawDot(on, here, step) : nothing}
    ${on.refused ? drawRefusal(on, on.refused) : nothing}
    <g class="moving"></g>
  </svg>`;
}

/** What a click on a place does: a node opens, and of others the last step there is shown. */
function opened({ lasts, look, open }: Drawn, { id, name }: Place) {
  const last = lasts.get(id);
  if (id.startsWith("node ")) {
    return { does: `Open ${name}`, act: () => open({ version: "v1", resource: "nodes", name }) };
  }
  return last && { does: `Show the last step at ${name}`, act: () => look(last) };
}

function openPod(pod: string, { open }: Drawn): void {
  const [namespace = "", name = ""] = pod.split("/");
  open({ version: "v1", resource: "pods", namespace, name });
}

function drawPlace(on: Drawn, place: Place, lit: boolean, here: boolean) {
  const { moment } = on;
  const { id, name, shape, x, y, width, height, size } = place;
  const opens = opened(on, place);
  const [role, tab] = opens ? (["button", "-1"] as const) : ([nothing, nothing] as const);
  const does = opens?.does ?? nothing;
  const key = opens && byKey(opens.act);
  if (shape === "station") {
    const asked = moment.asked.get(id) ?? [];
    const { anchor, dx, name: below, small, room } = place.label ?? LABEL;
    const tx = x + dx;
    const said = stationWords(id, asked, moment.passed.has(id), room);
    const words = asked.length > 0 ? `${name}: ${asked.join(", ")}` : name;
    return svg`<g role="group" aria-label=${words} ?data-lit=${lit} ?data-here=${here} ?data-opens=${opens} @click=${opens?.act}>
      <circle class="station" role=${role} tabindex=${tab} aria-label=${does} @keydown=${key} cx=${x} cy=${y} r="10" />
      <text x=${tx} y=${y + below} text-anchor=${anchor}>${name}</text>
      <text class="small" style=${`font-size: ${said.size}px`} x=${tx} y=${y + small} text-anchor=${anchor}>${said.text}</text>
      <title>${words}${opens ? `. ${opens.does}` : ""}</title>
      ${id === "admission" || id === "validation" ? drawStops(asked, moment.acted.get(id) ?? NOBODY, place, place.label ?? LABEL) : nothing}
    </g>`;
  }
  const left = x - width / 2;
  const top = y - height / 2;
  if (shape === "rest") {
    return svg`<g role="group" aria-label=${name} ?data-lit=${lit} ?data-here=${here}><text class="small" style=${size === undefined ? nothing : `font-size: ${size}px`} x=${left} y=${y + 5}>${name}</text></g>`;
  }
  const node = id.startsWith("node ") ? id.slice(5) : undefined;
  const pods = node === undefined ? undefined : moment.pods.get(node);
  const score = node === undefined ? undefined : moment.scores.get(node);
  const making = node === undefined ? undefined : moment.making.get(node);
  const who =
    node !== undefined && hasLine(place) ? whoAt(here ? on.step : undefined) : (WHAT.get(id) ?? "");
  const waiting = id.startsWith("controller ") ? (moment.waiting.get(id.slice(11)) ?? 0) : 0;
  const words = id.startsWith("scheduler ")
    ? `the scheduler ${name}, which the pod asks for`
    : name;
  return svg`<g role="group" aria-label=${words} ?data-lit=${lit} ?data-here=${here} ?data-opens=${opens} @click=${opens?.act}>
    <rect class="box" role=${role} tabindex=${tab} aria-label=${does} @keydown=${key} x=${left} y=${top} width=${width} height=${height} rx="4" />
    ${drawName(name.replace(/ controller$/, ""), left + 12, top + Math.min(25, height / 2 + 5), width - 20 - (who === "" ? 0 : WHO))}
    ${who === "" ? nothing : svg`<text class="small" ?data-chosen=${here && node !== undefined} style="font-size: 12px" x=${left + width - 9} y=${top + (height < 80 ? 16 : 24)} text-anchor="end">${who}</text>`}
    ${name.endsWith(" controller") ? svg`<text class="small" x=${left + 12} y=${top + Math.min(47, height - 9)}>controller</text>` : nothing}
    ${id === "etcd" ? svg`<text class="small" x=${left + 12} y=${top + 46}>${moment.revision ? `revision ${moment.revision}` : "no revision yet"}</text>` : nothing}
    ${pods && pods.size > 0 ? drawPods(pods, left + 14, top + Math.min(44, height - 22), width - 28 - (score && !hasLine(place) && width < 200 ? 84 : 0), (pod) => openPod(pod, on)) : nothing}
    ${score ? drawScore(score, place) : nothing}
    ${making ? drawMaking(making, place, score !== undefined) : nothing}
    ${drawQueue(waiting, left + width - 14, top + 42)}
    <title>${words}${opens ? `. ${opens.does}` : ""}</title>
  </g>`;
}

/** How big a name is, and how small one that is long; how wide a letter is by that. */
const BIG = 17;
const LEAST = 10;
const WIDTH = 9 / BIG;

/** A name in whole, smaller if it has no room else; of one that is longer than that its middle is left out. */
function drawName(name: string, x: number, y: number, room: number) {
  const size = Math.max(LEAST, Math.min(BIG, room / (name.length * WIDTH)));
  const text = cutMiddle(name, Math.floor(room / (size * WIDTH)));
  return svg`<text style=${size < BIG ? `font-size: ${size.toFixed(1)}px` : nothing} x=${x} y=${y}>${text}</text>`;
}

/** What tells names apart is at their ends. */
function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${text.slice(0, most - 1 - end)}…${text.slice(-end)}`;
}

/** An answer's code, beside who has asked. */
function drawCode({ to, code }: WayBack) {
  const { x, y, shape, width, height } = to;
  // A controller's queue stands to the right.
  const right = to.id.startsWith("controller ") ? 34 : 10;
  const at =
    shape === "box"
      ? { x: x + width / 2 - right, y: y + height / 2 - (height < 50 ? 4 : 9) }
      : { x: x + width / 2, y: y - 12 };
  return svg`<text class="code" ?data-refused=${Number(code) >= 400} x=${at.x} y=${at.y} text-anchor="end">${`◂ ${code}`}</text>`;
}

/** The line of the Binding that a step has stored, from the scheduler that asked for it. */
function drawBinding(stored: TraceStep, { moment, steps, scene }: Drawn) {
  const bind = moment.binds === "" ? undefined : bindOf(stored, steps);
  const points = bind ? bindingTo(placeOf(bind, scene), moment.binds, scene) : [];
  if (points.length === 0) return nothing;
  const { x, y, anchor, size } = wordsAt(scene);
  return svg`<g>${line(points, "binding")}
    <text class="small words" style="font-size: ${size}px" x=${x} y=${y} text-anchor=${anchor}>${WORDS}</text><title>${MEANS}</title></g>`;
}

/** What a box is, of those whose names do not say it. */
const WHAT: ReadonlyMap<string, string> = new Map([["etcd", "database"]]);

/** How much room who works in a node has beside its name. */
const WHO = 58;

/** Whether a node's box has a line for its score below its pods. */
const hasLine = ({ height }: Place) => height >= 84;

/** What the scheduler gave a node: below its pods, or to the right where there is no room for that. */
function drawScore({ total, chosen, byChance }: Score, place: Place) {
  const { x, y, width, height } = place;
  const right = x + width / 2 - 10;
  const below = hasLine(place);
  const at = below ? y + height / 2 - 12 : width < 200 ? y - height / 2 + 40 : y - height / 2 + 24;
  const why = chosen ? ", the most" : "";
  const luck = byChance ? "; of those with as much it is taken by chance" : "";
  return svg`<text class="small" ?data-chosen=${chosen} x=${below ? x - width / 2 + 12 : right} y=${at} text-anchor=${below ? "start" : "end"}>${chosen ? "▸ " : ""}score ${total}<title>${`the scheduler gave it ${total}${why}${luck}`}</title></text>`;
}

/** What a node's runtime makes at this moment: below its pods, where there is room. */
function drawMaking({ what, address }: Making, place: Place, scored: boolean) {
  const { x, y, width, height } = place;
  if (!hasLine(place) || (scored && height < 100)) return nothing;
  const room = Math.floor((width - 24) / 8.5);
  const whole = address === "" ? what : `${what} · ${address}`;
  const text = whole.length > room && address !== "" ? address : whole;
  const at = scored ? y - height / 2 + 77 : y + height / 2 - 12;
  return svg`<text class="small" x=${x - width / 2 + 12} y=${at}>${cut(text, room)}<title>${whole}</title></text>`;
}

function drawDot({ steps, look }: Drawn, { x, y, shape, width }: Place, step: TraceStep) {
  const at = shape === "box" ? x + width / 2 - 16 : x;
  const show = () => look(step);
  return turnsBack(step, steps)
    ? svg`<text class="failed" x=${at} y=${y + 8} text-anchor="middle" @click=${show}>✕</text>`
    : svg`<circle class="dot" cx=${at} cy=${y} r="8" @click=${show} />`;
}

/** Where the command was turned back, with the reason beside it. */
function drawRefusal({ scene, look }: Drawn, refused: TraceStep) {
  const { x, y, shape, width: wide } = placeOf(refused, scene);
  const at = shape === "box" ? x + wide / 2 - 38 : x; // beside its name, and beside the dot
  const { narrow, server, width } = scene;
  const why = cut(sentence(refused), narrow ? 44 : 74);
  return svg`<g class="refused" @click=${() => look(refused)}>
    <text class="failed" x=${at} y=${y + 7} text-anchor="middle">✕</text>
    <text class="failed reason" x=${narrow ? server.x : width / 2 - 80} y=${server.y + server.height + (narrow ? 14 : 22)} text-anchor=${narrow ? "start" : "middle"}>${why}</text>
  </g>`;
}

/** The drawing in words. */
function said({ revision, pods }: Moment, here: Place | undefined): string {
  const nodes = [...pods].map(
    ([node, there]) => `${node}: ${startedOf(there.values())} of ${there.size} pods started`,
  );
  return [
    "The cluster in this tab: kubectl, the API server's stations, etcd, controllers, scheduler and nodes",
    "the arrow keys lead from part to part",
    here ? `now at ${here.name}` : "",
    revision ? `etcd is at revision ${revision}` : "",
    ...nodes,
  ]
    .filter(Boolean)
    .join("; ");
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
