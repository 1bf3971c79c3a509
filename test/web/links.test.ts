import pc from "picocolors";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entityTypes } from "../../core/model/activity/activity-entry.ts";
import { pagePaths } from "../../core/model/activity/page-paths.ts";
import { linkOf } from "../../core/model/events/event-message.ts";
import { cli } from "../../hosts/cli/cli.ts";
import { type Board, type BoardPage, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";
import { workingCompany } from "./working-company.ts";

/** The sentences of a screen that has nothing to show for its address, or was refused its content. */
const broken = async (page: Page): Promise<readonly string[]> => {
  const alerts = await page.getByRole("alert").allTextContents();
  const nowhere = await page.getByRole("heading", { name: /^(Page|Company) not found$/ }).allTextContents();
  return [
    ...alerts.filter((text) =>
      /^(Not found|Access denied|Request denied|Something went wrong|Couldn't load|The service isn't responding)/.test(
        text,
      ),
    ),
    ...nowhere,
  ];
};

/** The screen, once it shows what it has asked for. */
const shown = async (page: Page): Promise<void> => {
  await page.locator("h1").first().waitFor();
  await expect.poll(() => page.locator(".skeleton, .page.waiting").count()).toBe(0);
};

/** The addresses within the page to which it links, each once, without the place in a screen. */
const linksOf = async (page: Page): Promise<readonly string[]> => {
  const all: string[] = await page.evaluate(
    `[...document.querySelectorAll("a[href]")].map(({ href }) => href)`,
  );
  const here = new URL(page.url()).origin;
  return all
    .filter((href) => href.startsWith(`${here}/`) && !href.startsWith(`${here}/api/`))
    .map((href) => href.slice(here.length).replace(/#.*$/, ""));
};

/** Links that differ by names alone show the same screen: of each kind, this many are followed. */
const ofKind = 3;
const kindOf = (path: string): string =>
  path
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "{id}")
    .replace(/\bHAR-\d+/, "{issue}")
    .replace(/\d{4}-\d\d(-\d\d)?/g, "{day}");

const hasHint = new Set(["Page", "Issue"]);

describe.skipIf(chromiumPath === null)("Every link", () => {
  let board: Board;
  let opened: BoardPage;
  let screens: Readonly<Record<string, string>>;
  beforeAll(async () => {
    board = await startBoard({ role: "all" });
    screens = await workingCompany(board.service);
    const { admin } = board.service;
    const [company] = await admin.companies.list({});
    const [agent] = await admin.agents.list({ companyId: company!.id });
    await admin.issues.comment({
      issueId: screens.issue!.split("/").at(-1)!,
      body: `[The head](agent://${agent!.id}) saw HAR-2, which @${agent!.urlKey} has.`,
    });
    opened = await board.signedIn("/inbox");
  });
  afterAll(() => board?.stop());

  it("of a screen or of an entry of the inbox leads to a screen that shows what it names", async () => {
    const { page, go, expectClean } = opened;
    const followed = new Set<string>();
    const kinds = new Map<string, number>();
    const waiting = Object.values(screens);
    const faults: Record<string, readonly string[]> = {};
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const kind = kindOf(path);
      if (followed.has(path) || (kinds.get(kind) ?? 0) >= ofKind) continue;
      followed.add(path);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      await go(path);
      await shown(page);
      const fault = await broken(page);
      if (fault.length > 0) faults[path] = fault;
      waiting.push(...(await linksOf(page)));
    }
    expect(faults).toEqual({});
    for (const noun of ["agents", "issues", "runs", "approvals", "projects", "goals", "routines"])
      expect(
        [...followed].filter((path) => path.includes(`/${noun}/`)),
        noun,
      ).not.toEqual([]);
    expectClean();
  });

  it("of the palette does, too", async () => {
    const { page, go, expectClean } = opened;
    const { admin } = board.service;
    const companyId = (await admin.companies.list({}))[0]!.id;
    const names = [
      ...(await admin.agents.list({ companyId })).map(({ name }) => ["Agent", name] as const),
      ...(await admin.routines.list({ companyId })).map(({ title }) => ["Routine", title] as const),
      ...(await admin.secrets.list({ companyId })).map(({ name }) => ["Secret", name] as const),
      ["Issue", "Replace the hook of crane 4"],
      ["Approval", "Repair before rebuild"],
      ...["Pulse", "Issues", "Agents", "Runs", "Spend", "Settings", "Instance", "Your profile"].map(
        (label) => ["Page", label] as const,
      ),
    ] as const;
    const faults: Record<string, readonly string[]> = {};
    for (const [group, name] of names) {
      await go("/inbox");
      await shown(page);
      await page.keyboard.press("Control+k");
      await page.keyboard.type(name);
      const options = page.getByRole("option").filter({ hasText: name });
      // Pages show their keys there, and issues their identifiers.
      await (hasHint.has(group) ? options : options.filter({ hasText: group })).first().click();
      await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
      await shown(page);
      const fault = await broken(page);
      if (fault.length > 0) faults[`${group} ${name}`] = fault;
    }
    expect(faults).toEqual({});
    expectClean();
  });

  /** Runs a command line for people, who copy what it prints. */
  const boardroom = async (...args: string[]): Promise<string> => {
    let [out, err] = ["", ""];
    const { url, token, admin } = board.service;
    const [company] = await admin.companies.list({});
    const exitCode = await cli(args, {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      stdin: async () => "",
      env: { SERVICE_API_URL: url, SERVICE_API_KEY: token, SERVICE_COMPANY_ID: company!.id },
      width: null,
      colors: pc.createColors(false),
      now: () => new Date(),
    });
    expect([args.join(" "), exitCode, err]).toEqual([args.join(" "), 0, ""]);
    return out;
  };

  /** Ids, identifiers of issues and keys of agents, as tables of the command line show them. */
  const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
  const printed: Readonly<Record<string, RegExp>> = {
    agents: /(?<=^.{10,30}?\s{2,})[a-z]+(-[a-z]+)+/gm,
    issues: /^HAR-\d+/gm,
    runs: uuid,
    approvals: uuid,
    projects: uuid,
    goals: uuid,
    routines: uuid,
  };

  /** Types an address, and looks whether the screen of that record comes. */
  const typed = async (path: string, noun: string): Promise<readonly string[]> => {
    const { page, go } = opened;
    await go(path);
    await expect
      .poll(() => new URL(page.url()).pathname.toLowerCase(), { message: path })
      .toMatch(new RegExp(`^/har/${noun}/.`));
    await shown(page);
    return broken(page);
  };

  it("or key that the command line prints leads there, with its company, without it, and below another", async () => {
    const { go, expectClean } = opened;
    const other = await board.service.admin.companies.create({ name: "Zebra Works" });
    const faults: Record<string, readonly string[]> = {};
    for (const [noun, pattern] of Object.entries(printed)) {
      const names = [...new Set((await boardroom(noun, "list")).match(pattern) ?? [])];
      expect(names, noun).not.toEqual([]);
      for (const name of names.slice(0, ofKind)) {
        await boardroom(noun, "get", name);
        const inCompany = [`/HAR/${noun}/${name}`, `/har/${noun}/${name.toUpperCase()}/`];
        // A urlKey below another company would name an agent of that one.
        const inOther = noun === "agents" ? [] : [`/${other.issuePrefix}/${noun}/${name}`];
        for (const path of [...inCompany, ...inOther, `/${noun}/${name}`]) {
          const fault = await typed(path, noun);
          if (fault.length > 0) faults[path] = fault;
        }
      }
    }
    // The company shown last has no such agent.
    await go(`/${other.issuePrefix}/agents`);
    await shown(opened.page);
    const [agent] = (await boardroom("agents", "list")).match(printed.agents!) ?? [];
    expect(await typed(`/agents/${agent}`, "agents")).toEqual([]);
    expect(faults).toEqual({});
    expectClean({ refusals: [404] });
  });

  it("of a message about an event does, whatever it is about", async () => {
    const { admin, url } = board.service;
    const [company] = await admin.companies.list({});
    const faults: Record<string, readonly string[]> = {};
    const found: string[] = [];
    for (const subjectType of entityTypes) {
      const { items } = await admin.activity.list({
        companyId: company!.id,
        entityType: subjectType,
        limit: 1,
      });
      if (items[0] === undefined) continue;
      found.push(subjectType);
      const subject = { companyKey: company!.issuePrefix, subjectType, subjectId: items[0].entityId };
      const { pathname } = new URL(linkOf(subject, url));
      await opened.go(pathname);
      await shown(opened.page);
      const fault = await broken(opened.page);
      if (fault.length > 0) faults[`${subjectType} ${pathname}`] = fault;
    }
    expect(found).toEqual(expect.arrayContaining(Object.keys(pagePaths)));
    expect(faults).toEqual({});
    // The page of the tests before has met links to nothing.
    opened.expectClean({ refusals: [404] });
  });

  it("of the command line's inbox and of its `open` does, too", async () => {
    const entries = JSON.parse(await boardroom("inbox", "list", "--json")) as readonly {
      readonly subject: { readonly type: string; readonly id: string };
      readonly issue: { readonly identifier: string } | null;
    }[];
    const rows = await boardroom("inbox", "list");
    for (const { subject, issue } of entries) {
      expect(rows).toContain(subject.id);
      const noun = subject.type === "interaction" ? "issues" : `${subject.type}s`;
      const name = subject.type === "interaction" ? `${issue!.identifier}#${subject.id}` : subject.id;
      expect(await typed(`/${noun}/${name}`, noun), `${noun} ${name}`).toEqual([]);
    }
    const { page, close } = await board.open();
    await page.goto((await boardroom("open", "--print")).trim());
    await expect.poll(() => new URL(page.url()).pathname).toBe("/inbox");
    await shown(page);
    expect(await broken(page)).toEqual([]);
    await close();
  });
});
