import { createHash } from "node:crypto";
import * as Effect from "effect/Effect";
import { z } from "zod";
import type { Caller } from "../../../core/model/access/caller.ts";
import {
  AdapterBuiltIn,
  AdapterBusy,
  AdapterNotFound,
  AdapterNotInstallable,
  AdapterTypeTaken,
  UiParserNotFound,
} from "../../../core/model/adapters/adapter.ts";
import { AdapterUnknown, AgentNotFound } from "../../../core/model/agents/agent.ts";
import { PathNotAllowed } from "../../../core/model/agents/named-paths.ts";
import { ReferenceNotFound } from "../../../core/model/shared/failure.ts";
import { checkAdapter } from "../../../core/staff/agents/agent-settings.ts";
import { RunnerRefused } from "../../../core/staff/agents/choose-runner.ts";
import type { AdapterRegistry, KnownAdapter, LoadedAdapter } from "../../../ports/adapter-registry.ts";
import type { ByteRange } from "../../../ports/blob-store.ts";
import { acting, actingOnInstance, boardOnly, inCompany } from "../endpoint/access.ts";
import type { App } from "../endpoint/app.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { fileEndpoint } from "../endpoint/file-endpoint.ts";
import { AgentReference, Flag, FreeObject, ShortText, upTo } from "../endpoint/values.ts";
import {
  AdapterDetailShape,
  AdapterShape,
  DetectedModelShape,
  EnvironmentReportShape,
  InstalledShape,
  ModelShape,
} from "./adapter-shapes.ts";

const isAdmin = (caller: Caller): boolean => caller.kind === "board" && caller.admin;

const codeOf = (adapters: AdapterRegistry, { type, status }: KnownAdapter): LoadedAdapter | undefined =>
  status === "loaded" && type !== null ? adapters.loaded().get(type) : undefined;

const shown = (known: KnownAdapter, loaded: LoadedAdapter | undefined, admin: boolean) => ({
  type: known.type,
  label: loaded?.label ?? known.type ?? "",
  source: known.source,
  version: loaded?.version ?? known.version,
  status: known.status,
  loaded: known.status === "loaded",
  error: known.problem === null || admin ? known.problem : "It could not be loaded. Instance admins see why.",
  warnings: known.notes,
  packageName: admin ? known.packageName : null,
  localPath: admin ? known.localPath : null,
  modelsCount: loaded?.models.length ?? 0,
  hasUiParser: loaded !== undefined && loaded.uiParser !== null,
  discoversModels: loaded?.supports.has("listModels") ?? false,
  supportsSkills: loaded?.supports.has("listSkills") ?? false,
});

const loadedOf = (
  { adapters }: Pick<App, "adapters">,
  type: string,
): Effect.Effect<LoadedAdapter, AdapterNotFound> => {
  const loaded = adapters.loaded().get(type);
  return loaded === undefined ? Effect.fail(new AdapterNotFound()) : Effect.succeed(loaded);
};

const ProgramQuery = ShortText.optional().describe(
  "The agent program that is meant, where an adapter runs several: adapterConfig.agent of acp.",
);

export const adapters = {
  list: endpoint({
    method: "GET",
    path: "/api/adapters",
    summary: "List the adapters, broken ones included",
    description:
      "Sorted by type. Only instance admins see the error of a broken adapter and the source of an adapter.",
    access: boardOnly,
    returns: z.array(AdapterShape).readonly(),
    run: ({ adapters }, _, { caller }) =>
      Effect.sync(() =>
        adapters
          .known()
          .map((known) => shown(known, codeOf(adapters, known), isAdmin(caller)))
          .sort((one, other) => ((one.type ?? "~") < (other.type ?? "~") ? -1 : 1)),
      ),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/adapters/{adapterType}",
    summary: "Show an adapter and its configuration",
    description:
      "agentConfigurationDoc describes an agent's adapterConfig in Markdown, configSchema as JSON Schema; agentSettableKeys lists the keys that an agent may change itself. Empty while the adapter is not loaded.",
    access: boardOnly,
    returns: AdapterDetailShape,
    failures: [AdapterNotFound],
    run: ({ adapters }, { adapterType }, { caller }) => {
      const known = adapters.known().find(({ type }) => type === adapterType);
      if (known === undefined) return Effect.fail(new AdapterNotFound());
      const loaded = codeOf(adapters, known);
      return Effect.succeed({
        ...shown(known, loaded, isAdmin(caller)),
        models: loaded?.models ?? [],
        agentConfigurationDoc: loaded?.agentConfigurationDoc ?? "",
        configSchema: (loaded?.configSchema ?? null) as Readonly<Record<string, unknown>> | null,
        agentSettableKeys: loaded?.agentSettableKeys ?? [],
      });
    },
  }),
  install: endpoint({
    method: "POST",
    path: "/api/adapters",
    summary: "Install an adapter from a package or a folder",
    description:
      "Exactly one of packageName and localPath. A package comes from the npm registry that the service's machine is configured for, without running any script of it, and is pinned. A folder is linked: changes in it take effect at a restart or reload. Its code runs in its own process.",
    access: actingOnInstance("manageAdapters"),
    body: z.strictObject({
      packageName: upTo(300).optional().describe("name, or name@version."),
      localPath: upTo(4096)
        .meta({ format: "path" })
        .optional()
        .describe("Path of a folder; relative to the working directory of the service."),
    }),
    returns: InstalledShape,
    status: 201,
    failures: [AdapterNotInstallable, AdapterTypeTaken, AdapterNotFound],
    creates: {
      again: ({ adapterPackages }, id) =>
        adapterPackages
          .installed(id)
          .pipe(
            Effect.flatMap((entry) =>
              entry === null ? Effect.fail(new AdapterNotFound()) : Effect.succeed(entry),
            ),
          ),
    },
    run: ({ adapterPackages }, body, { newId }) => adapterPackages.install({ ...body, id: newId() }),
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/adapters/{adapterType}",
    summary: "Remove an installed adapter",
    description: "Live runs continue. Agents of that type wait until it is installed again.",
    access: actingOnInstance("manageAdapters"),
    returns: z.object({ type: z.string(), removed: z.literal(true) }),
    failures: [AdapterNotFound, AdapterBuiltIn, AdapterNotInstallable],
    run: ({ adapterPackages }, { adapterType }) =>
      adapterPackages
        .remove(adapterType)
        .pipe(Effect.map(() => ({ type: adapterType, removed: true as const }))),
  }),
  reload: endpoint({
    method: "POST",
    path: "/api/adapters/{adapterType}/reload",
    summary: "Reload an installed adapter's code",
    description: "Live runs continue with the old code.",
    access: actingOnInstance("manageAdapters"),
    returns: InstalledShape,
    failures: [AdapterNotFound, AdapterBuiltIn, AdapterNotInstallable],
    run: ({ adapterPackages }, { adapterType }) => adapterPackages.reload(adapterType),
  }),
  uiParser: fileEndpoint({
    path: "/api/adapters/{adapterType}/ui-parser.js",
    summary: "Download the adapter's UI parser",
    description:
      "One self-contained script, version 1.x of the UI parser contract. Run it in a worker as a function body with `exports` and `module`, and without access to anything.",
    access: boardOnly,
    failures: [AdapterNotFound, UiParserNotFound],
    run: (app, { adapterType }) =>
      loadedOf(app, adapterType).pipe(
        Effect.flatMap(({ uiParser }) => {
          if (uiParser === null) return Effect.fail(new UiParserNotFound());
          const bytes = Buffer.from(uiParser);
          return Effect.succeed({
            contentType: "application/javascript; charset=utf-8",
            filename: null,
            byteSize: bytes.byteLength,
            sha256: createHash("sha256").update(bytes).digest("hex"),
            isShown: true,
            open: (range?: ByteRange) =>
              Effect.succeed(pieces(range === undefined ? bytes : bytes.subarray(range.start, range.end))),
          });
        }),
      ),
  }),
  models: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/adapters/{adapterType}/models",
    summary: "List the models that an adapter offers",
    description:
      "Discovers models if the adapter can query its provider or command line, with the variables that the service passes to agents; otherwise gives those it lists. Can be empty.",
    access: inCompany("viewer"),
    query: z.strictObject({
      program: ProgramQuery,
      refresh: Flag.default(false).describe("Discover again instead of using the cached result."),
    }),
    returns: z.array(ModelShape).readonly(),
    failures: [AdapterBusy, AdapterUnknown],
    run: ({ adapters, adapterProbe }, { companyId, adapterType, program = null, refresh }) =>
      checkAdapter(adapters, adapterType).pipe(
        Effect.flatMap((loaded) => adapterProbe.models(loaded, companyId, program, refresh)),
      ),
  }),
  detectModel: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/adapters/{adapterType}/detect-model",
    summary: "Detect the default model of an adapter",
    description:
      "The model for agents whose adapterConfig names none, from the environment or the settings of the user that agents run as; source says where. null if unknown.",
    access: inCompany("viewer"),
    query: z.strictObject({
      program: ProgramQuery,
      agentId: AgentReference.optional().describe(
        "The agent in whose home it is detected. Without it, a runner elsewhere has an empty home.",
      ),
    }),
    returns: DetectedModelShape,
    failures: [AdapterBusy, AdapterUnknown, AgentNotFound],
    run: ({ agents }, { companyId, adapterType, program, agentId }) =>
      agents.detectModel({ companyId, adapterType, program, agentId }),
  }),
  testEnvironment: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/adapters/{adapterType}/test-environment",
    summary: "Test whether an adapter could run with a configuration",
    description:
      "Starts the configured program, as a run would. Stores nothing. Omits variables bound to secrets.",
    access: acting("company", "testEnvironment"),
    body: z.strictObject({
      adapterConfig: FreeObject.default({}).describe("An agent's adapterConfig."),
      agentId: AgentReference.optional().describe(
        "The agent that would have the configuration: it is tested in its workspace and home, which it may name.",
      ),
      runner: ShortText.optional().describe(
        "Where to test. Default: the agent's runner, else the company's, else the service's.",
      ),
    }),
    returns: EnvironmentReportShape,
    failures: [AdapterBusy, AdapterUnknown, PathNotAllowed, ReferenceNotFound, RunnerRefused],
    run: ({ agents }, { companyId, adapterType, adapterConfig, agentId, runner }, { by }) =>
      agents.testEnvironment({ companyId, adapterType, adapterConfig, agentId, runner, by }),
  }),
};

async function* pieces(bytes: Uint8Array) {
  yield bytes;
}
