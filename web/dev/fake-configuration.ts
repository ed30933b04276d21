import type {
  ConfigurationFiles,
  ConfigurationInForce,
  Configured,
  AccessControls,
  WhoMay,
} from "../rpc/protocol.ts";

/** What came with a call. */
export function filesOf(params: unknown): ConfigurationFiles {
  return (params as { files: ConfigurationFiles }).files;
}

/** A configuration that takes what looks like one. */
export class FakeConfiguration {
  #now: ConfigurationFiles = {};
  readonly #before: ConfigurationFiles[] = [];

  inForce(): ConfigurationInForce {
    return { files: this.#now, before: this.#before.length };
  }

  problems(files: ConfigurationFiles): string[] {
    return Object.entries(files).flatMap(([name, text]) => {
      if (!name.endsWith(".yaml") || text === "") return [];
      if (!text.includes("kind:")) return [`${name}: Object 'Kind' is missing`];
      const level = /level: (Metadato)/.exec(text)?.[1];
      return level
        ? [`audit Policy: rules[0].level: Unsupported value: "${level}": from file ${name}`]
        : [];
    });
  }

  configure(files: ConfigurationFiles): Configured {
    const problems = this.problems(files);
    if (problems.length > 0) {
      throw new Error(
        `the configuration is refused, and the old one stays: ${problems.join("\n")}`,
      );
    }
    this.#before.push(this.#now);
    this.#now = Object.fromEntries(Object.entries(files).filter(([, text]) => text.trim() !== ""));
    return did(Object.keys(files));
  }

  restore(): Configured {
    const last = this.#before.pop();
    if (!last) throw new Error("there is no configuration before this one");
    this.#now = last;
    return did(Object.keys(last));
  }

  accessControls(): AccessControls {
    const off = (this.#now["kube-apiserver.flags"] ?? "").includes("LimitRanger");
    const control = (name: string, rest = {}) => ({ name, on: true, default: true, ...rest });
    const last = { step: 1, at: Date.now(), did: "refused", object: "pods/web of default" };
    return {
      authenticators: [
        control("client certificate"),
        control("bearer token"),
        control("anonymous"),
      ],
      authorizers: [control("group system:masters"), control("Node"), control("RBAC")],
      admission: [
        control("LimitRanger", { on: !off }),
        control("PodSecurity", {
          last: { ...last, reason: "<img src=x onerror=alert(1)> violates" },
        }),
        control("AlwaysPullImages", { on: false, default: false }),
      ],
    };
  }

  audit(): string {
    if (!this.#now["audit.yaml"]) return "";
    const event = (number: number, verb: string, code: number) => ({
      event: {
        auditID: String(number),
        stage: "ResponseComplete",
        level: "Metadata",
        stageTimestamp: `2026-11-23T12:00:${String(number).padStart(2, "0")}.000000Z`,
        verb,
        user: { username: "jane" },
        requestURI: "/api/v1/namespaces/default/pods",
        responseStatus: { code },
        annotations: {
          "authorization.k8s.io/decision": code < 400 ? "allow" : "forbid",
          "authorization.k8s.io/reason": code < 400 ? "RBAC: allowed by <b>you</b>" : "",
        },
      },
    });
    return [event(1, "list", 200), event(2, "create", 403)]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("");
  }

  whoMay(): WhoMay {
    return {
      chain: [
        { type: "Node", name: "node" },
        { type: "RBAC", name: "rbac" },
      ],
      subjects: [{ kind: "Group", name: "system:masters" }],
      more: 0,
    };
  }
}

function did(changed: string[]): Configured {
  return {
    changed,
    reloaded: [],
    restarted: ["kube-apiserver"],
    newNodes: [],
    atStart: false,
    took: 1234,
  };
}
