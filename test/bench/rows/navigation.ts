import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";
import type { Bench } from "../bench.ts";
import { makeAgents } from "../furnish.ts";
import { latencies } from "../measure.ts";
import type { Prepared, Row } from "../row.ts";

const issues = 2_000;
const lines = 20_000;
const navigations = 60;

/** The network and the processor of a person far from the service on a small computer. */
const roundTripMs = 40;
const processorRate = 4;

/** From the pointer on a link to the press: people need longer. */
const pointMs = 100;

interface Shown {
  readonly here: string;
  readonly runId: string;
}

let made: Promise<Shown> | null = null;

/** A company with 2,000 issues, twenty agents, and a run of 20,000 lines; made once for all rows that need it. */
const show = (bench: Bench): Promise<Shown> => {
  made ??= make(bench);
  return made;
};

const make = async (bench: Bench): Promise<Shown> => {
  const { board, sql } = bench;
  const { id: companyId, issuePrefix } = await board.companies.create({ name: "Navigation" });
  const script = `awk 'BEGIN { for (n = 1; n <= ${lines}; n++) print "line " n ": what there is to say of it" }'`;
  const agents = await makeAgents(board, companyId, 20, { command: "/bin/sh", args: ["-c", script] });
  const { id: projectId } = await board.projects.create({ companyId, name: "Harbour" });
  await sql`
    insert into issues (
      id, company_id, identifier, title, description, status, priority, project_id, last_activity_at, created_at, updated_at
    )
    select uuidv7(), ${companyId}, ${issuePrefix} || '-' || (10000000 + n), 'Issue ' || n || ' of the harbour',
           E'It **sticks**.\n\n1. Look at it.\n2. Mend it.',
           (array['backlog', 'todo', 'in_review', 'blocked'])[1 + n % 4],
           (array['critical', 'high', 'medium', 'low'])[1 + n % 4], ${projectId}, at, at, at
    from   generate_series(1, ${issues}::integer) n,
           lateral (select now() - n * interval '10 seconds' as at) moment`;
  await sql`
    insert into comments (id, company_id, issue_id, body, created_at, updated_at)
    select uuidv7(), issue.company_id, issue.id, 'Comment ' || n || ' with \`code\`.', now(), now()
    from   issues issue, generate_series(1, 5) n
    where  issue.company_id = ${companyId}`;
  await sql`vacuum analyze`;
  const runs = [];
  for (const agentId of agents.slice(0, 6)) runs.push((await board.agents.invoke({ agentId })).id!);
  await bench.idle();
  return { here: `/${issuePrefix}`, runId: runs[0]! };
};

/** A fresh browser profile that is signed in, on a slow processor and a distant network. */
const open = async (bench: Bench) => {
  // People's computers have a graphics processor. Here Chromium would emulate one on the cores that the page and the service need.
  const args = ["--disable-gpu"];
  const browser: Browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
  const context = await browser.newContext({
    baseURL: bench.service.url,
    viewport: { width: 1280, height: 800 },
  });
  context.setDefaultTimeout(30_000);
  await context.request.post("/api/session", { headers: { authorization: `Bearer ${bench.token}` } });
  const page = await context.newPage();
  const devtools: CDPSession = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: roundTripMs,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: processorRate });
  await page.addInitScript(measuring);
  return { browser, page };
};

/**
 * In the page: from a click to the frame in which the data of the next screen is there, and the longest task. The page watches from
 * the click on: this program hears of the click a tenth of a second later.
 */
const measuring = `
  addEventListener("click", () => {
    window.clickedAt = performance.now();
    if (window.awaited) window.shown = untilShown(...window.awaited);
  }, { capture: true });
  window.longestTask = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestTask = Math.max(window.longestTask, duration);
  }).observe({ type: "longtask", buffered: true });
  window.untilShown = (path, content) => new Promise((resolve, reject) => {
    const check = () => {
      const main = document.querySelector("main:not(.waiting)");
      const isShown = location.pathname === path && main !== null && main.querySelector(".skeleton") === null && main.querySelector(content) !== null;
      // This frame paints it; a timer fires after that.
      if (isShown) return setTimeout(() => resolve(performance.now() - window.clickedAt));
      if (performance.now() - window.clickedAt > 20000) return reject(new Error("no content at " + path));
      requestAnimationFrame(check);
    };
    requestAnimationFrame(check);
  });
`;

/** One way through the page: a link of the sidebar, or the n-th link to a record of the screen that is shown. */
interface Step {
  readonly name: string;
  readonly link: (page: Page, round: number) => ReturnType<Page["locator"]>;
  readonly content: string;
}

const side = (label: string, content: string): Step => ({
  name: label,
  link: (page) => page.locator(".side-link", { hasText: label }).first(),
  content,
});

const record = (name: string, href: string, content: string): Step => ({
  name,
  link: (page, round) => page.locator(`main a[href*="${href}"]:visible`).nth(round),
  content,
});

/** Twelve navigations, which a person repeats with other records: five times make sixty. */
const steps: readonly Step[] = [
  side("Issues", "a[href*='/issues/']"),
  record("an issue", "/issues/", ".issue-main .markdown"),
  side("Agents", "a[href*='/agents/']"),
  record("an agent", "/agents/", ".page-body *"),
  side("Runs", "a[href*='/runs/']"),
  record("a run", "/runs/", ".run-line"),
  side("Pulse", ".page-body *"),
  side("Inbox", ".page-body *"),
  side("Issues", "a[href*='/issues/']"),
  record("an issue", "/issues/", ".issue-main .markdown"),
  side("Activity", ".page-body *"),
  side("Spend", ".page-body *"),
];

const navigate = async (page: Page, step: Step, round: number): Promise<number> => {
  const link = step.link(page, round);
  const href = new URL((await link.getAttribute("href"))!, page.url());
  await link.scrollIntoViewIfNeeded();
  await link.hover();
  await page.evaluate(`window.awaited = ${JSON.stringify([href.pathname, step.content])}; 0`);
  await page.waitForTimeout(pointMs);
  await link.click();
  return Number(await page.evaluate("window.shown"));
};

/** The time within which nine of ten of sixty navigations show their data. */
const session = async (bench: Bench): Promise<Prepared> => {
  const { here } = await show(bench);
  return {
    round: async () => {
      const { browser, page } = await open(bench);
      try {
        await page.goto(`${here}/pulse`);
        await page.locator(".live-mark.live").waitFor();
        const took: { readonly name: string; readonly ms: number }[] = [];
        for (let n = 0; n < navigations; n++) {
          const step = steps[n % steps.length]!;
          took.push({ name: step.name, ms: await navigate(page, step, Math.floor(n / steps.length)) });
        }
        const sorted = took.map(({ ms }) => ms).sort((one, other) => one - other);
        const within = took.filter(({ ms }) => ms <= 200).length;
        const slowest = took
          .toSorted((one, other) => other.ms - one.ms)
          .slice(0, 10)
          .map(({ name, ms }) => `${name} ${Math.round(ms)}`);
        process.stderr.write(`  ${within} of ${navigations} within 200 ms; slowest: ${slowest.join(", ")}\n`);
        const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!;
        return { value: at(0.9), operations: navigations, p50Ms: at(0.5), p99Ms: at(0.99) };
      } finally {
        await browser.close();
      }
    },
  };
};

/** The longest task while the board of all issues is opened and scrolled. */
const boardTask = async (bench: Bench): Promise<Prepared> => {
  const { here } = await show(bench);
  return {
    round: async () => {
      const { browser, page } = await open(bench);
      try {
        await page.goto("/inbox");
        await page.locator(".live-mark.live").waitFor();
        // The screens that the page loads ahead are there.
        await page.waitForTimeout(3_000);
        await page.evaluate("window.longestTask = 0; window.clickedAt = performance.now()");
        await page.evaluate(`history.pushState(null, "", ${JSON.stringify(`${here}/issues?view=board`)})`);
        await page.evaluate(`untilShown(${JSON.stringify(`${here}/issues`)}, "a[href*='/issues/']")`);
        await page.evaluate(`new Promise((resolve) => {
          let frames = 0;
          const step = () => {
            for (const column of document.querySelectorAll("main [data-scrolls]")) column.scrollTop += 200;
            if (++frames < 60) requestAnimationFrame(step); else resolve();
          };
          requestAnimationFrame(step);
        })`);
        await page.waitForTimeout(500);
        return { value: Number(await page.evaluate("window.longestTask")), operations: 1 };
      } finally {
        await browser.close();
      }
    },
  };
};

/** From the click to the last line of a long transcript. */
const transcriptEnd = async (bench: Bench): Promise<Prepared> => {
  const { here, runId } = await show(bench);
  return {
    round: async () => {
      const { browser, page } = await open(bench);
      try {
        await page.goto(`${here}/runs`);
        await page.locator(".live-mark.live").waitFor();
        await page.locator(`a[href$="${runId}"]`).first().hover();
        await page.waitForTimeout(pointMs);
        await page.locator(`a[href$="${runId}"]`).first().click();
        const took = await page.evaluate(`new Promise((resolve) => {
          const check = () =>
            document.querySelector("main")?.textContent.includes("line ${lines}: ")
              ? resolve(performance.now() - window.clickedAt)
              : requestAnimationFrame(check);
          requestAnimationFrame(check);
        })`);
        return latencies([Number(took)]);
      } finally {
        await browser.close();
      }
    },
  };
};

const far = `${roundTripMs} ms away, ${processorRate}× slower`;

export const navigation: readonly Row[] = [
  {
    name: "navigation",
    what: `board page, ${far}: nine of ten of ${navigations} navigations among ${issues} issues`,
    unit: "ms",
    aim: 200,
    prepare: session,
  },
  {
    name: "navigation-board-task",
    what: `board page, ${far}: longest task on the board of ${issues} issues`,
    unit: "ms",
    aim: 200,
    prepare: boardTask,
  },
  {
    name: "navigation-run-end",
    what: `board page, ${far}: from a click to the last of ${lines} lines`,
    unit: "ms",
    aim: 1_000,
    prepare: transcriptEnd,
  },
];
