import type { Call, CallHandlers } from "../rpc/client.ts";
import type { AttachEvent, AttachOrder, AttachParams } from "../rpc/protocol.ts";
import { reason } from "../rpc/reason.ts";
import type { Disposable } from "../state/disposable.ts";
import { Store } from "../state/store.ts";
import { leadsToServices, ownHost, ticket, type Visit } from "./visit.ts";

/** Somebody who wants access. */
interface Question {
  id: number;
  user: string;
  /** What the asker's terminal shows, too. */
  code: string;
}

export interface HubState {
  /** "none" without a hub, "lost" while dialling again, "refused" for good. */
  tunnel: "none" | "dialling" | "up" | "lost" | "refused";
  /** What the hub calls this cluster. */
  name: string;
  /** Where clients reach it, "host:port". */
  addresses: readonly string[];
  /** The pin of the hub's certificate, for programs; empty if they need none. */
  certHash: string;
  /** Why there is none. */
  error: string;
  questions: readonly Question[];
}

export type HubAction =
  | AttachEvent
  | { type: "dial" }
  | { type: "refused"; error: string }
  | { type: "answered"; id: number };

export const closed: HubState = {
  tunnel: "none",
  name: "",
  addresses: [],
  certHash: "",
  error: "",
  questions: [],
};

export function reduceHub(state: HubState, action: HubAction): HubState {
  switch (action.type) {
    case "dial":
      return { ...state, tunnel: "dialling" };
    case "state":
      return action.up
        ? {
            ...state,
            tunnel: "up",
            name: action.name ?? "",
            addresses: action.addresses ?? [],
            certHash: action.certHash ?? "",
            error: "",
          }
        : { ...state, tunnel: "lost", error: action.error ?? "" };
    case "refused":
      return { ...state, tunnel: "refused", error: action.error, questions: [] };
    case "ask": {
      const { id, user, code } = action;
      return { ...state, questions: [...state.questions, { id, user, code }] };
    }
    case "withdrawn":
    case "answered":
      return { ...state, questions: state.questions.filter(({ id }) => id !== action.id) };
  }
}

/** The part of the RPC client that is needed. */
export interface HubClient {
  call(
    method: "attach",
    params: AttachParams,
    handlers: CallHandlers<AttachEvent>,
  ): Call<unknown, AttachOrder>;
}

/** The tunnel to the hub, as the page sees it. */
export class HubConnection implements Disposable {
  readonly state = new Store<HubState, HubAction>(reduceHub, closed);
  #call: Call<unknown, AttachOrder> | undefined;
  #pairing: AttachParams | undefined;
  readonly #nudge = () => this.#order({ type: "nudge" });

  /** Attaches the cluster to the hub; the call lasts as long as the page. */
  open(client: HubClient, pairing: AttachParams): void {
    this.#pairing = pairing;
    this.state.dispatch({ type: "dial" });
    this.#call = client.call("attach", pairing, {
      event: (event) => this.state.dispatch(event),
    });
    this.#call.result.then(
      () => undefined,
      (error: unknown) =>
        this.state.dispatch({
          type: "refused",
          error: reason(error),
        }),
    );
    // The network may have changed: a tunnel that is dead says nothing by itself.
    addEventListener("online", this.#nudge);
    document.addEventListener("resume", this.#nudge);
  }

  /** The owner's answer to a question. */
  answer(id: number, agree: boolean): void {
    this.#order({ type: "answer", id, agree });
    this.state.dispatch({ type: "answered", id });
  }

  /** The host of a Service's own address behind this hub; undefined if it leads to none. */
  hostOf(visit: Visit): string | undefined {
    const pairing = this.#pairing;
    if (this.state.state.tunnel !== "up" || !pairing || !leadsToServices(pairing)) return undefined;
    return ownHost(pairing, visit);
  }

  /** An address that opens a Service once, in this browser. */
  async ticket(visit: Visit): Promise<string> {
    if (!this.#pairing) throw new Error("there is no hub");
    return ticket(this.#pairing, this.state.state.name, visit);
  }

  dispose(): void {
    removeEventListener("online", this.#nudge);
    document.removeEventListener("resume", this.#nudge);
    this.#call?.cancel();
  }

  #order(order: AttachOrder): void {
    this.#call?.order(order);
  }
}
