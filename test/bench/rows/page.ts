import { type Browser, chromium, type Page } from "playwright-core";
import type { Bench } from "../bench.ts";
import { makeAgents } from "../furnish.ts";
import { type Figures, latencies } from "../measure.ts";
import type { Prepared, Row } from "../row.ts";

const lines = 100_000;
const issues = 10_000;

/** A company at work, as the board page shows it. */
interface Shown {
  readonly here: string;
  readonly agentId: string;
  readonly issue: string;
  readonly runId: string;
  readonly approvalId: string;
  readonly routineId: string;
}

let made: Promise<Shown> | null = null;

/** Made once for all rows that need it. */
const show = (bench: Bench): Promise<Shown> => {
  made ??= make(bench);
  return made;
};

const make = async (bench: Bench): Promise<Shown> => {
  const { board, sql } = bench;
  const { id: companyId, issuePrefix } = await board.companies.create({ name: "Page" });
  const script = `echo "the needle broke" >&2; awk 'BEGIN { for (n = 1; n <= ${lines}; n++) print "line " n ": what there is to say of it, in so many words" }'`;
  const [agentId = ""] = await makeAgents(board, companyId, 3, { command: "/bin/sh", args: ["-c", script] });
  await sql`
    insert into issues (
      id, company_id, identifier, title, description, status, priority, last_activity_at, created_at, updated_at
    )
    select uuidv7(), ${companyId}, ${issuePrefix} || '-' || (10000000 + n), 'Issue ' || n || ' of the harbour', '',
           (array['backlog', 'todo', 'in_review', 'blocked'])[1 + n % 4],
           (array['critical', 'high', 'medium', 'low'])[1 + n % 4], at, at, at
    from   generate_series(1, ${issues}::integer) n,
           lateral (select now() - n * interval '10 seconds' as at) moment`;
  await sql`vacuum analyze`;
  const { id: issueId, identifier } = await board.issues.create({ companyId, title: "Mend the crane" });
  for (let n = 0; n < 20; n++) await board.issues.comment({ issueId, body: `Comment **${n}**.` });
  const { id: projectId } = await board.projects.create({ companyId, name: "Harbour" });
  const { id: routineId } = await board.routines.create({
    companyId,
    projectId,
    title: "Round",
    assigneeAgentId: agentId,
  });
  const { approval } = await board.approvals.hire({ companyId, name: "Bob", role: "engineer" });
  const { id: runId } = await board.agents.invoke({ agentId });
  await bench.idle();
  const here = `/${issuePrefix}`;
  return { here, agentId, issue: identifier, runId: runId!, approvalId: approval.id, routineId };
};

/** A fresh browser profile that is signed in. */
const open = async (bench: Bench): Promise<{ browser: Browser; page: Page }> => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium" });
  const context = await browser.newContext({
    baseURL: bench.service.url,
    viewport: { width: 1280, height: 800 },
  });
  const headers = { authorization: `Bearer ${bench.token}` };
  await context.request.post("/api/session", { headers });
  return { browser, page: await context.newPage() };
};

/** A browser with the page, at that path, and how to close it. */
const within = async (
  bench: Bench,
  path: (shown: Shown) => string,
  round: (page: Page, shown: Shown) => Promise<Figures>,
): Promise<Prepared> => {
  const shown = await show(bench);
  const { browser, page } = await open(bench);
  await page.goto(path(shown));
  await page.locator("main h1").waitFor();
  await page.locator(".live-mark.live").waitFor();
  return { round: () => round(page, shown), end: () => browser.close() };
};

/** Goes to a screen as a click on a link does; resolves with milliseconds when its content is there. */
const goTo = async (page: Page, path: string, content: string): Promise<number> =>
  Number(
    await page.evaluate(`new Promise((resolve, reject) => {
      const from = performance.now();
      history.pushState(null, "", ${JSON.stringify(path)});
      const check = () => {
        const main = document.querySelector("main");
        if (main?.querySelector("h1") && !main.querySelector(".skeleton") && main.querySelector(${JSON.stringify(content)}))
          return resolve(performance.now() - from);
        if (performance.now() - from > 20000) return reject(new Error("no content at ${path}"));
        requestAnimationFrame(check);
      };
      requestAnimationFrame(check);
    })`),
  );

const screens: Readonly<Record<string, readonly [path: (shown: Shown) => string, content: string]>> = {
  inbox: [() => "/inbox", ".page-body *"],
  run: [({ here, runId }) => `${here}/runs/${runId}`, ".run-line"],
  issue: [({ here, issue }) => `${here}/issues/${issue}`, "article"],
  pulse: [({ here }) => `${here}/pulse`, ".page-body *"],
  issues: [({ here }) => `${here}/issues`, "a[href*='/issues/']"],
  agent: [({ here, agentId }) => `${here}/agents/${agentId}`, ".page-body *"],
  organisation: [({ here }) => `${here}/org`, "a[href*='/agents/']"],
  spend: [({ here }) => `${here}/spend`, ".page-body *"],
  approval: [({ here, approvalId }) => `${here}/approvals/${approvalId}`, ".page-body *"],
  routines: [({ here }) => `${here}/routines`, "a[href*='/routines/']"],
  secrets: [({ here }) => `${here}/secrets`, ".page-body *"],
  settings: [({ here }) => `${here}/settings`, "input"],
};

const screenRow = ([name, [path, content]]: [string, (typeof screens)[string]]): Row => ({
  name: `page-${name}`,
  what: `board page: from a click to the content of ${name}`,
  unit: "ms",
  aim: 200,
  prepare: (bench) =>
    within(
      bench,
      () => (name === "inbox" ? "/instance" : "/inbox"),
      async (page, shown) => {
        const back = new URL(page.url()).pathname;
        const took = await goTo(page, path(shown), content);
        await page.evaluate(`history.pushState(null, "", ${JSON.stringify(back)})`);
        return latencies([took]);
      },
    ),
});

/** Script before the first screen, as gzip makes it. */
const firstLoad = async (bench: Bench): Promise<Prepared> => {
  const get = async (path: string) =>
    fetch(`${bench.service.url}${path}`, { headers: { accept: "text/html", "accept-encoding": "gzip" } });
  return {
    round: async () => {
      const document = await (await get("/")).text();
      const scripts = [...document.matchAll(/(?:src|href)="(assets\/[^"]+\.js)"/g)].map(([, path]) => path!);
      const sizes = await Promise.all(
        scripts.map(async (path) => Number((await get(`/${path}`)).headers.get("content-length"))),
      );
      return { value: sizes.reduce((sum, size) => sum + size, 0) / 1024, operations: 1 };
    },
  };
};

/** From a fresh browser profile, signed in, to the first screen with its content. */
const interactive = async (bench: Bench): Promise<Prepared> => {
  await show(bench);
  return {
    round: async () => {
      const { browser, page } = await open(bench);
      try {
        const from = performance.now();
        await page.goto("/inbox");
        await page.locator("main:not(:has(.skeleton)) h1").waitFor();
        return latencies([performance.now() - from]);
      } finally {
        await browser.close();
      }
    },
  };
};

/** Frames a second while a list that is there is scrolled for two seconds. */
const scroll = async (page: Page, element: string): Promise<Figures> => {
  await page.locator(element).waitFor();
  const counted = page.evaluate(`new Promise((resolve, reject) => {
    let frames = 0;
    const from = performance.now();
    const check = (now) => {
      frames += 1;
      const element = document.querySelector(${JSON.stringify(element)});
      // An error thrown here would be nobody's, and the promise would stay open.
      if (element === null) return reject(new Error("The list is gone."));
      element.scrollTop += 40;
      if (now - from < 2000) requestAnimationFrame(check);
      else resolve(Math.round((frames * 1000) / (now - from)));
    };
    requestAnimationFrame(check);
  })`);
  return { value: Number(await counted), operations: 1 };
};

export const page: readonly Row[] = [
  {
    name: "page-first-load",
    what: "board page: script of the first load, gzip",
    unit: "KB",
    aim: 150,
    prepare: firstLoad,
  },
  {
    name: "page-interactive",
    what: "board page: from nothing to the inbox",
    unit: "ms",
    aim: 1000,
    prepare: interactive,
  },
  ...Object.entries(screens).map(screenRow),
  {
    name: "page-scroll-issues",
    what: `board page: frames of a list of ${issues} issues`,
    unit: "/s",
    aim: 60,
    prepare: (bench) =>
      within(
        bench,
        ({ here }) => `${here}/issues`,
        (page) => scroll(page, ".issues-scroll"),
      ),
  },
  {
    name: "page-open-run",
    what: `board page: from a click to the last of ${lines} lines`,
    unit: "ms",
    aim: 1000,
    prepare: (bench) =>
      within(
        bench,
        () => "/inbox",
        async (page, { here, runId }) => {
          await page.reload();
          await page.locator("main h1").waitFor();
          const took = goTo(page, `${here}/runs/${runId}`, ".run-line");
          const from = performance.now();
          await page.getByText(`line ${lines}: `).waitFor();
          await took;
          const shown = performance.now() - from;
          await page.evaluate(`history.pushState(null, "", "/inbox")`);
          return latencies([shown]);
        },
      ),
  },
  {
    name: "page-scroll-run",
    what: `board page: frames of a transcript of ${lines} lines`,
    unit: "/s",
    aim: 60,
    prepare: (bench) =>
      within(
        bench,
        ({ here, runId }) => `${here}/runs/${runId}`,
        async (page) => {
          await page.reload();
          await page.getByText(`line ${lines}: `).waitFor();
          await page.getByRole("button", { name: "First error" }).click();
          await page.getByText("the needle broke").waitFor();
          return scroll(page, ".run-scroll");
        },
      ),
  },
];
