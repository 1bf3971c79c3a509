import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { expect } from "vitest";
import type { Role } from "../../core/model/access/roles.ts";
import { startGitHost } from "../support/git-host.ts";
import { startService, type TestService, type TestServiceOptions } from "../support/service.ts";
import { headlessChromiumPath } from "./chromium.ts";

/** A service and a real browser. */
export interface Board {
  readonly service: TestService;
  /** Opens a fresh browser profile without a session. */
  open(options?: BrowserContextOptions): Promise<BoardPage>;
  /** Opens a path of the page, signed in with a board token (the first admin's by default). */
  signedIn(path: string, options?: BrowserContextOptions & { readonly token?: string }): Promise<BoardPage>;
  stop(): Promise<void>;
}

/** A page that records forbidden events: console errors (with CSP reports) and foreign requests. */
export interface BoardPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** An address of the board page. */
  at(path: string): string;
  /** Goes to a path within the page that is shown, as a link does; a load takes four times as long. */
  go(path: string): Promise<void>;
  /** Fails after console errors or foreign requests. `refusals`: expected refused calls, by status. */
  expectClean(allowed?: { readonly refusals?: readonly number[] }): void;
  /** Fails if axe finds a violation of WCAG 2.2 A or AA, or of good practice. */
  expectAccessible(): Promise<void>;
  close(): Promise<void>;
}

export const startBoard = async (options: TestServiceOptions = {}): Promise<Board> => {
  const service = await startService({ role: "api", ...options });
  const browser = await openBrowser().catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  const contexts: BrowserContext[] = [];
  const open: Board["open"] = async (contextOptions = {}) => {
    const context = await browser.newContext({
      baseURL: service.url,
      viewport: { width: 1280, height: 800 },
      reducedMotion: "reduce",
      locale: "en-GB",
      // A test can neither hold nor change the answers of a worker; test/web/push.test.ts has one.
      serviceWorkers: "block",
      ...contextOptions,
    });
    contexts.push(context);
    // A busy machine may take long for a page.
    context.setDefaultTimeout(60_000);
    return boardPage(service, context, await context.newPage());
  };
  return {
    service,
    open,
    signedIn: async (path, { token = service.token, ...contextOptions } = {}) => {
      const opened = await open(contextOptions);
      const answer = await opened.context.request.post("/api/session", {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(answer.status()).toBe(201);
      await opened.page.goto(opened.at(path));
      return opened;
    },
    stop: async () => {
      await Promise.all(contexts.map((context) => context.close()));
      await service.stop();
    },
  };
};

/** A name that no earlier attempt of a test has taken; an inbox shows the entries of all attempts. */
export const unique = (name: string): string => `${name} ${crypto.randomUUID().slice(0, 6)}`;

type AgentFields = Readonly<Record<string, unknown>>;

/** A company and an agent of it, Ada; `fields` replace the agent's. A test that is tried again gets another of the name. */
export const aCompany = async ({ service: { admin } }: Board, name: string, fields: AgentFields = {}) => {
  const { id: companyId, issuePrefix: prefix } = await admin.companies.create({ name });
  const { id: agentId } = await admin.agents.create({
    companyId,
    name: "Ada",
    adapterType: "process",
    adapterConfig: { command: "/bin/true" },
    ...fields,
  });
  return { companyId, prefix, agentId };
};

/** With a company, Harbour Works, and an agent of it; `fields` replace the agent's. */
export const startBoardWithAgent = async (fields: AgentFields = {}) => {
  const board = await startBoard();
  const { companyId, agentId } = await aCompany(board, "Harbour Works", fields);
  return { board, companyId, agentId };
};

/** With a git host, in sandboxes where the machine has them. */
export const startBoardWithGitHost = async () => {
  const [board, host] = await Promise.all([
    startBoard({ role: "all", env: { SERVICE_SANDBOX: "auto" } }),
    startGitHost(),
  ]);
  const stop = async () => {
    await board.stop();
    host.close();
  };
  return { board, host, stop };
};

/** A person with a role in a company, and a token of theirs. */
export const aPerson = async ({ service: { admin } }: Board, companyId: string, name: string, role: Role) => {
  const { id } = await admin.users.create({ name });
  await admin.members.set({ companyId, userId: id, role });
  const { token } = await admin.tokens.create({ name: "test", userId: id });
  return { id, token };
};

let opened: Browser | null = null;

/** One browser for all files of this process, with which it ends; each page has a profile of its own. */
const openBrowser = async (): Promise<Browser> => {
  if (opened?.isConnected() !== true)
    // Pages that only software draws are drawn sooner without a process for it.
    opened = await chromium.launch({ executablePath: headlessChromiumPath!, args: ["--disable-gpu"] });
  return opened;
};

const boardPage = (service: TestService, context: BrowserContext, page: Page): BoardPage => {
  const { origin: ownOrigin, port } = new URL(service.url);
  // The same service by the name of this machine, where passkeys work.
  const ownOrigins = new Set([ownOrigin, `http://localhost:${port}`]);
  const complaints: { readonly text: string; readonly status: number | null }[] = [];
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    if (message.text() === "Service Worker registration blocked by Playwright") return;
    const status = /responded with a status of (\d+)/.exec(message.text())?.[1];
    complaints.push({ text: message.text(), status: status === undefined ? null : Number(status) });
  });
  page.on("pageerror", (error) => complaints.push({ text: String(error), status: null }));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (!ownOrigins.has(origin) && protocol !== "data:" && protocol !== "blob:")
      complaints.push({ text: `asked ${request.url()}`, status: null });
  });
  return {
    page,
    context,
    at: (path) => `${service.url}${path}`,
    go: async (path) => {
      await page.evaluate(`history.pushState(null, "", ${JSON.stringify(path)})`);
    },
    expectClean: ({ refusals = [] } = {}) =>
      expect(
        complaints
          .filter(({ status }) => status === null || !refusals.includes(status))
          .map(({ text }) => text),
      ).toEqual([]),
    expectAccessible: async () => {
      // A screen that came without a load has it still.
      if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(await axeSource());
      const found = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } };
        const { violations } = await axe.run({
          runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
          resultTypes: ["violations"],
        });
        return violations.map(
          ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`,
        );
      });
      expect(found).toEqual([]);
    },
    close: () => context.close(),
  };
};

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

let axe: Promise<string> | undefined;
const axeSource = (): Promise<string> => {
  axe ??= readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  return axe;
};
