import * as Result from "effect/Result";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Agent,
  configure,
  newAgent,
  nextTimer,
  pause,
  resume,
  terminate,
} from "../../core/model/agents/agent.ts";
import {
  type AdapterConfig,
  changedKeys,
  configKeys,
  configOf,
  mask,
  mergeAdapterConfig,
  variablesOf,
} from "../../core/model/agents/agent-config.ts";
import {
  type AgentStatus,
  agentMoves,
  agentStatus,
  agentStatuses,
  type LifecycleState,
  pauseReason,
} from "../../core/model/agents/agent-status.ts";
import { inlineSecretsOf, secretLikeVariables } from "../../core/model/agents/inline-secrets.ts";
import { notInvokable } from "../../core/model/agents/not-invokable.ts";
import { resumableStatuses } from "../../core/model/agents/resumable-statuses.ts";
import { normaliseUrlKey, urlKeyOf } from "../../core/model/agents/url-key.ts";
import { type CompanyStatus, companyStatuses } from "../../core/model/companies/company.ts";
import type { AgentId } from "../../core/model/shared/ids.ts";
import { mayMove } from "../../core/model/shared/moves.ts";
import { aConfig, acme, ada, anAgent, anyJsonObject, bob, earlier, id, now } from "../support/nouns.ts";

const lifecycleStates: readonly LifecycleState[] = ["active", "pending_approval", "terminated"];
const optional = [null, earlier] as const;

/** All combinations of the facts that determine an agent's status. */
const circumstances = lifecycleStates.flatMap((lifecycleState) =>
  optional.flatMap((heldManuallyAt) =>
    optional.flatMap((heldByBudgetAt) =>
      companyStatuses.flatMap((company) =>
        [null, "It failed."].flatMap((errorReason) =>
          [true, false].map((running) => ({
            agent: anAgent({ lifecycleState, heldManuallyAt, heldByBudgetAt, errorReason }),
            company,
            running,
          })),
        ),
      ),
    ),
  ),
);
type Circumstances = (typeof circumstances)[number];
const statusIn = ({ agent, company, running }: Circumstances) => agentStatus(agent, company, running, now);

describe("Holds", () => {
  test.each<[string | null, string | null, CompanyStatus, string | null, string | null]>([
    [null, null, "active", null, null],
    [earlier, null, "active", "manual", "agent_paused"],
    [null, earlier, "active", "budget", "budget_exhausted"],
    [null, null, "paused", "company", "company_not_active"],
    [null, null, "archived", "company", "company_not_active"],
    [earlier, earlier, "active", "manual", "agent_paused"],
    [earlier, null, "paused", "manual", "agent_paused"],
    [null, earlier, "paused", "budget", "budget_exhausted"],
    [earlier, earlier, "archived", "manual", "agent_paused"],
  ])(
    "manual %s, budget %s, company %s: the strongest hold shows as %s",
    (manual, budget, company, shown, refusal) => {
      const agent = anAgent({ heldManuallyAt: manual, heldByBudgetAt: budget });
      expect(pauseReason(agent, company, now)).toBe(shown);
      expect(notInvokable(agent, company, now)).toBe(refusal);
    },
  );

  test.each([
    ["terminated", "agent_terminated"],
    ["pending_approval", "agent_pending_approval"],
  ] as const)("rank below the lifecycle state %s", (lifecycleState, reason) => {
    const paused = anAgent({ lifecycleState, heldManuallyAt: earlier, heldByBudgetAt: earlier });
    expect(notInvokable(paused, "archived", now)).toBe(reason);
  });
});

describe("The status of an agent", () => {
  test("is paused under any hold, whatever the agent does", () => {
    for (const { agent, company, running } of circumstances)
      if (agent.lifecycleState === "active" && pauseReason(agent, company, now) !== null)
        expect(agentStatus(agent, company, running, now)).toBe("paused");
  });

  test("is running only if it has a running run", () => {
    for (const each of circumstances) if (statusIn(each) === "running") expect(each.running).toBe(true);
  });

  test("allows a wake exactly if it is idle, running or error", () => {
    for (const each of circumstances)
      expect(notInvokable(each.agent, each.company, now) === null).toBe(
        ["idle", "running", "error"].includes(statusIn(each)),
      );
  });

  test("takes each of the declared statuses and no other", () => {
    expect(new Set(circumstances.map(statusIn))).toEqual(new Set(agentStatuses));
  });

  const changed = (each: Circumstances, fields: Partial<Agent>): Circumstances => ({
    ...each,
    agent: { ...each.agent, ...fields },
  });
  const decided = (each: Circumstances, result: Result.Result<Agent, unknown>): Circumstances | null =>
    Result.isSuccess(result) ? { ...each, agent: result.success } : null;
  const happenings: Readonly<Record<string, (each: Circumstances) => Circumstances | null>> = {
    pause: (each) => decided(each, pause(each.agent, now)),
    resume: (each) => decided(each, resume(each.agent, now)),
    terminate: (each) => ({ ...each, agent: terminate(each.agent, now) }),
    "hire approved": (each) =>
      each.agent.lifecycleState === "pending_approval" ? changed(each, { lifecycleState: "active" }) : null,
    "budget used up": (each) => changed(each, { heldByBudgetAt: now }),
    "budget raised": (each) => changed(each, { heldByBudgetAt: null }),
    "company paused": (each) => ({ ...each, company: "paused" }),
    "company resumed": (each) => ({ ...each, company: "active" }),
    "a run starts": (each) =>
      notInvokable(each.agent, each.company, now) === null ? { ...each, running: true } : null,
    "its last run ends well": (each) =>
      each.running ? { ...changed(each, { errorReason: null }), running: false } : null,
    "its last run fails": (each) =>
      each.running ? { ...changed(each, { errorReason: "It failed." }), running: false } : null,
  };
  // An agent in pending_approval has never run.
  const possible = circumstances.filter(
    ({ agent, running }) =>
      agent.lifecycleState !== "pending_approval" || (!running && agent.errorReason === null),
  );
  const seen = new Set<string>();
  for (const each of possible)
    for (const happening of Object.values(happenings)) {
      const after = happening(each);
      if (after !== null) seen.add(`${statusIn(each)} ${statusIn(after)}`);
    }

  test.each(agentStatuses.flatMap((from) => agentStatuses.map((to) => [from, to] as const)))(
    "goes from %s to %s exactly where the table says so",
    (from: AgentStatus, to: AgentStatus) => {
      if (from !== to) expect(mayMove(agentMoves, from, to)).toBe(seen.has(`${from} ${to}`));
    },
  );

  test("is resumable exactly where a resume, or the end of a hold, can change it", () => {
    const ends = ["resume", "budget raised", "company resumed"].map((name) => happenings[name]!);
    const left = possible.filter((each) =>
      ends.some((end) => {
        const after = end(each);
        return after !== null && statusIn(after) !== statusIn(each);
      }),
    );
    expect(new Set(left.map(statusIn))).toEqual(resumableStatuses);
  });
});

describe("An agent", () => {
  test("stays unchanged by a second pause", () => {
    const once = Result.getOrThrow(pause(anAgent(), now));
    expect(once.heldManuallyAt).toBe(now);
    expect(Result.getOrThrow(pause(once, "2027-01-01T00:00:00.000Z"))).toBe(once);
  });

  test("loses the manual hold and the last error on resume", () => {
    const paused = anAgent({ heldManuallyAt: earlier, errorReason: "It failed." });
    expect(Result.getOrThrow(resume(paused, now))).toMatchObject({ heldManuallyAt: null, errorReason: null });
  });

  test("loses the manual hold and keeps the budget hold when its budget is used up", () => {
    const resumed = Result.getOrThrow(
      resume(anAgent({ heldManuallyAt: earlier, heldByBudgetAt: earlier }), now),
    );
    expect(pauseReason(resumed, "active", now)).toBe("budget");
  });

  test.each([
    ["terminated", "agent_terminated"],
    ["pending_approval", "pending_approval_agent_config_frozen"],
  ] as const)("that is %s cannot be paused, resumed or configured", (lifecycleState, code) => {
    const agent = anAgent({ lifecycleState });
    for (const result of [pause(agent, now), resume(agent, now), configure(agent, aConfig(), now)])
      expect(result).toMatchObject({ failure: { code, kind: "conflict" } });
  });

  test.each(lifecycleStates)(
    "that is %s is terminated for good, and a second termination changes nothing",
    (lifecycleState) => {
      const after = terminate(anAgent({ lifecycleState, nextTimerAt: now }), now);
      expect(after.lifecycleState).toBe("terminated");
      if (lifecycleState !== "terminated") expect(after.nextTimerAt).toBeNull();
      expect(terminate(after, "2027-01-01T00:00:00.000Z")).toBe(after);
    },
  );

  test.each([
    [{}, null],
    [{ heartbeat: {} }, null],
    [{ heartbeat: { enabled: false, intervalSec: 60 } }, null],
    [{ heartbeat: { intervalSec: 60 } }, null],
    [{ heartbeat: { enabled: true } }, null],
    [{ heartbeat: { enabled: true, intervalSec: 0 } }, null],
    [{ heartbeat: { enabled: true, intervalSec: 90 } }, "2026-01-31T12:01:30.000Z"],
  ])("with runtimeConfig %j has its next timer at %s", (runtimeConfig, at) => {
    expect(nextTimer({ runtimeConfig }, now)).toBe(at);
    expect(
      newAgent({
        ...aConfig({ runtimeConfig }),
        grantedPaths: [],
        id: ada,
        companyId: acme,
        lifecycleState: "active",
        at: now,
      }).nextTimerAt,
    ).toBe(at);
  });

  test("keeps a running timer if the interval stays, and otherwise starts a new one now", () => {
    const timer = (intervalSec: number) => ({ runtimeConfig: { heartbeat: { enabled: true, intervalSec } } });
    const agent = anAgent({ ...timer(60), nextTimerAt: "2026-01-31T12:00:07.000Z" });
    const next = (config: Partial<Agent>) =>
      Result.getOrThrow(configure(agent, { ...configOf(agent), ...config }, now)).nextTimerAt;
    expect(next({ title: "Countess", ...timer(60) })).toBe("2026-01-31T12:00:07.000Z");
    expect(next(timer(120))).toBe("2026-01-31T12:02:00.000Z");
    expect(next({ runtimeConfig: {} })).toBeNull();
  });

  test("takes the urlKey from its name, also from a new name", () => {
    const agent = anAgent();
    expect(agent.urlKey).toBe("ada");
    const renamed = Result.getOrThrow(configure(agent, aConfig({ name: "Ada Lovelace" }), now));
    expect(renamed).toMatchObject({ name: "Ada Lovelace", urlKey: "ada-lovelace", updatedAt: now });
  });
});

describe("A urlKey", () => {
  test.each([
    ["Ada Lovelace", "ada-lovelace"],
    ["  Ada  ", "ada"],
    ["ADA", "ada"],
    ["Ada_Lovelace.2", "ada-lovelace-2"],
    ["--Ada--", "ada"],
    ["Zoë", "zo"],
    ["C-3PO", "c-3po"],
    ["a/b?c=d", "a-b-c-d"],
    ["小明", ada],
    ["🤖", ada],
    ["", ada],
    [bob, ada],
    [bob.toUpperCase(), ada],
  ])("of %j is %s", (name, key) => {
    expect(urlKeyOf(name, ada)).toBe(key);
  });

  test("is lower-case words with hyphens, or the id, and is its own normal form", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "grapheme" }), fc.string()), (name) => {
        const key = urlKeyOf(name, ada);
        if (key !== ada) expect(key).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(normaliseUrlKey(key)).toBe(key);
        expect(urlKeyOf(key, ada)).toBe(key);
      }),
    );
  });
});

describe("A patch of an adapterConfig", () => {
  const stored: AdapterConfig = {
    command: "node",
    args: ["a"],
    env: {
      PLAIN: "one",
      TYPED: { type: "plain", value: "two" },
      SECRET: { type: "secret_ref", secretId: "s" },
    },
  };
  const withEnv = (more: object) => ({ ...stored, env: { ...(stored.env as object), ...more } });
  const merged = (patch: Record<string, unknown>) => Result.getOrThrow(mergeAdapterConfig(stored, patch));

  test.each<[string, Record<string, unknown>, AdapterConfig]>([
    ["that is empty changes nothing", {}, stored],
    ["replaces the keys it names", { command: "deno" }, { ...stored, command: "deno" }],
    ["adds keys", { cwd: "/x" }, { ...stored, cwd: "/x" }],
    ["replaces lists as a whole", { args: [] }, { ...stored, args: [] }],
    ["takes an object where none was", { nested: { a: null, b: 1 } }, { ...stored, nested: { b: 1 } }],
    ["deletes by null", { command: null }, { args: stored.args, env: stored.env }],
    ["deletes what is not there by null", { nothing: null }, stored],
    ["deletes the environment by null", { env: null }, { command: "node", args: ["a"] }],
    ["adds a variable", { env: { NEW: "x" } }, withEnv({ NEW: "x" })],
    [
      "deletes a variable by null",
      { env: { PLAIN: null, TYPED: null } },
      { ...stored, env: { SECRET: { type: "secret_ref", secretId: "s" } } },
    ],
    [
      "replaces a variable as a whole",
      { env: { SECRET: { type: "plain", value: "x" } } },
      withEnv({ SECRET: { type: "plain", value: "x" } }),
    ],
    ["keeps a value by its mask", { env: { PLAIN: mask } }, stored],
    ["keeps a typed value by its typed mask", { env: { TYPED: { type: "plain", value: mask } } }, stored],
    ["keeps a value by a mask of the other form", { env: { TYPED: mask } }, stored],
    ["takes the mask as a value elsewhere", { command: mask }, { ...stored, command: mask }],
  ])("%s", (_, patch, expected) => {
    expect(merged(patch)).toEqual(expected);
  });

  test.each([mask, { type: "plain", value: mask }])(
    "refuses a mask (%j) of a variable that does not exist",
    (binding) => {
      expect(mergeAdapterConfig(stored, { env: { toString: binding } })).toMatchObject({
        failure: {
          code: "mask_without_value",
          kind: "unprocessable",
          details: { path: ["adapterConfig", "env", "toString"] },
        },
      });
    },
  );

  const value = fc.jsonValue().filter((json) => json !== null);
  const name = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "PATH"));
  const binding = fc.oneof(
    fc.string().filter((text) => text !== mask),
    fc.record(
      { type: fc.constant("plain"), value: fc.string().filter((text) => text !== mask) },
      { noNullPrototype: true },
    ),
    fc.record({ type: fc.constant("secret_ref"), secretId: fc.uuid() }, { noNullPrototype: true }),
  );
  const config = fc
    .tuple(
      fc.dictionary(
        name.filter((key) => key !== "env"),
        value,
        { noNullPrototype: true },
      ),
      fc.option(fc.dictionary(name, binding, { noNullPrototype: true }), { nil: undefined }),
    )
    .map(([rest, env]): AdapterConfig => (env === undefined ? rest : { ...rest, env }));

  test("keeps the keys that it does not name, sets the others, and does not mutate its input", () => {
    fc.assert(
      fc.property(config, fc.dictionary(name, fc.jsonValue(), { noNullPrototype: true }), (before, patch) => {
        const [copy, patchCopy] = [structuredClone(before), structuredClone(patch)];
        const after = Result.getOrThrow(mergeAdapterConfig(before, patch));
        for (const key of new Set([...Object.keys(before), ...Object.keys(patch)])) {
          const own = (of: object) => Object.getOwnPropertyDescriptor(of, key)?.value;
          if (!Object.hasOwn(patch, key)) expect(own(after)).toEqual(own(before));
          else if (own(patch) === null) expect(Object.hasOwn(after, key)).toBe(false);
          else if (typeof own(patch) !== "object" || Array.isArray(own(patch)))
            expect(own(after)).toEqual(own(patch));
        }
        expect([before, patch]).toEqual([copy, patchCopy]);
      }),
    );
  });

  test("changes nothing where every value is sent back as a mask", () => {
    fc.assert(
      fc.property(config, (given) => {
        const before = Result.getOrThrow(mergeAdapterConfig({}, given));
        const env = Object.fromEntries(variablesOf(before).map((variable) => [variable, mask]));
        const after = Result.getOrThrow(mergeAdapterConfig(before, "env" in before ? { env } : {}));
        expect(changedKeys(aConfig({ adapterConfig: before }), aConfig({ adapterConfig: after }))).toEqual(
          [],
        );
      }),
    );
  });
});

describe("The changed keys of a configuration", () => {
  test.each(configKeys)("name only %s if only that differs", (key) => {
    const other = aConfig({
      name: "Bob",
      role: "ceo",
      title: "Countess",
      reportsTo: bob,
      capabilities: "sums",
      adapterType: "http",
      adapterConfig: { a: 1 },
      runtimeConfig: { heartbeat: { enabled: true } },
      budgetMonthlyCents: 1,
      metadata: { a: 1 },
    });
    expect(changedKeys(aConfig(), { ...aConfig(), [key]: other[key] })).toEqual([key]);
  });

  test("do not depend on the order of keys", () => {
    const deep = (a: unknown) => aConfig({ adapterConfig: { x: { deep: a } } });
    expect(changedKeys(deep({ a: 1, b: [{ c: 1, d: 2 }] }), deep({ b: [{ d: 2, c: 1 }], a: 1 }))).toEqual([]);
    expect(changedKeys(deep([1, 2]), deep([2, 1]))).toEqual(["adapterConfig"]);
  });

  test("are empty for a copy", () => {
    fc.assert(
      fc.property(anyJsonObject(), (adapterConfig) => {
        const config = aConfig({ adapterConfig });
        expect(changedKeys(config, aConfig({ adapterConfig: structuredClone(adapterConfig) }))).toEqual([]);
      }),
    );
  });

  test("consider only the fields that a revision stores", () => {
    const agent = anAgent({ id: id<AgentId>(7), errorReason: "x" });
    expect(Object.keys(configOf(agent)).sort()).toEqual([...configKeys].sort());
  });
});

describe("A plain value that looks like a secret", () => {
  test.each([
    ["API_TOKEN", "short"],
    ["DB_PASSWORD", { type: "plain", value: "x" }],
    ["MODEL", "sk-ant-0123456789"],
    ["UPSTREAM", "https://ada:pass@example.org/"],
    ["PEM", "-----BEGIN PRIVATE KEY-----"],
  ])("is found by its name or its form: %s", (variable, binding) => {
    const value = typeof binding === "string" ? binding : binding.value;
    expect(secretLikeVariables({ env: { [variable]: binding } })).toEqual([[variable, value]]);
    expect(inlineSecretsOf({ env: { [variable]: binding } })).toEqual([`env.${variable}`]);
  });

  test.each([
    ["MODE", "fast"],
    ["URL", "https://example.org/"],
    ["API_TOKEN", { type: "secret_ref", secretId: "s" }],
  ])("is none of these: %s", (variable, binding) => {
    expect(secretLikeVariables({ env: { [variable]: binding } })).toEqual([]);
  });
});
