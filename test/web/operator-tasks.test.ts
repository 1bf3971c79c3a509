import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { eventually } from "../support/eventually.ts";
import { type Board, type BoardPage, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

/** The table of docs/operator-tasks.md holds the test: a task may not become longer than it says. */
const table = join(import.meta.dirname, "../../docs/operator-tasks.md");

/** A banner that comes late may put a stop of Tab or two before a button. */
const slack = 2;

type Hands = "mouse" | "keyboard";

/** One person at the page, who counts what he does: clicks, or keys other than the letters of what is typed. */
class Operator {
  readonly hands: Hands;
  readonly page: Page;
  acts = 0;
  letters = 0;

  constructor(hands: Hands, page: Page) {
    this.hands = hands;
    this.page = page;
  }

  async key(name: string): Promise<void> {
    this.acts += 1;
    await this.page.keyboard.press(name);
  }

  /** Clicks it; by keyboard presses the keys that do the same, or goes to it by Tab and presses Enter, or Space. */
  async press(target: Locator, keys: readonly string[] = [], last = "Enter"): Promise<void> {
    if (this.hands === "mouse") {
      this.acts += 1;
      await target.click();
      return;
    }
    if (keys.length === 0) await this.#tabTo(target);
    else await target.waitFor();
    for (const name of keys.length === 0 ? [last] : keys) await this.key(name);
  }

  /** Takes an entry of the menu that is open, by its first letter. */
  async take(entry: Locator, letter: string): Promise<void> {
    await entry.waitFor();
    const hasFocus = () => this.page.evaluate("document.activeElement?.getAttribute('role') ?? ''");
    await expect.poll(hasFocus).toContain("menuitem");
    await this.press(entry, [letter, "Enter"]);
  }

  /** Types into a field. By keyboard it is reached by these keys, or by Tab where it has not the focus. */
  async type(target: Locator, text: string, keys: readonly string[] = []): Promise<void> {
    if (this.hands === "mouse") {
      this.acts += 1;
      await target.click();
    } else {
      // A key does nothing before the field is there to which it goes.
      if (keys.length > 0) await target.waitFor();
      for (const name of keys) await this.key(name);
      await this.#tabTo(target);
    }
    // The text that it had is replaced.
    await this.page.keyboard.press("Control+a");
    this.letters += text.length;
    await this.page.keyboard.type(text);
  }

  /** Chooses from a native list, which a mouse opens first. */
  async choose(target: Locator, label: string): Promise<void> {
    if (this.hands === "mouse") {
      this.acts += 2;
      await target.selectOption({ label });
      return;
    }
    await target.locator("option", { hasText: label }).first().waitFor({ state: "attached" });
    await this.#tabTo(target);
    this.letters += label.length;
    await this.page.keyboard.type(label);
  }

  async #tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    const hasFocus = () => target.evaluate((element) => element === element.ownerDocument.activeElement);
    for (let tabs = 0; !(await hasFocus()); tabs++) {
      if (tabs === 100) throw new Error(`Tab does not reach ${target}`);
      await this.key("Tab");
    }
  }
}

/** A company of its own with an owner who sees no other. */
interface World {
  readonly admin: Client;
  readonly companyId: string;
  readonly prefix: string;
  readonly ownerId: string;
  /** A second page of the same browser. */
  readonly openTab: (path: string) => Promise<Page>;
  readonly shown: BoardPage;
}

interface Task {
  readonly title: string;
  /** Where the person is at the beginning. */
  readonly path: (world: World) => string;
  readonly prepare?: (world: World) => Promise<void>;
  readonly run: (operator: Operator, world: World) => Promise<void>;
  /** At most so many keys by keyboard alone, letters aside, whatever the table says. */
  readonly mostKeys?: number;
  /** The browser reports requests without a network in its console. */
  readonly isOffline?: true;
}

const program = (script: string) => ({ command: "sh", args: ["-c", script] }) as never;

const hire = ({ admin, companyId }: World, name: string, script = "exit 0", more: object = {}) =>
  admin.agents.create({
    companyId,
    name,
    role: "engineer",
    adapterType: "process",
    adapterConfig: program(script),
    ...more,
  });

const issue = ({ admin, companyId }: World, title: string, more: object = {}) =>
  admin.issues.create({ companyId, title, ...more });

const side = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name });

const tasks: readonly Task[] = [
  {
    title: "Found a company and see its first work done",
    path: () => "/new",
    run: async (o) => {
      await o.type(o.page.getByLabel("Company name"), "Harbour Works");
      await o.press(o.page.getByRole("button", { name: "Create company" }), ["Enter"]);
      await o.press(o.page.getByRole("button", { name: "Test and hire" }));
      await o.press(o.page.getByRole("button", { name: /^Assign to Ada/ }));
      await o.page.locator(".issue-facts").getByText("Done").first().waitFor();
    },
  },
  {
    title: "Decide ten different requests with their facts read",
    path: () => "/inbox",
    prepare: async (world) => {
      const { admin, companyId } = world;
      const ada = await hire(world, "Ada");
      const asAda = await admin.agents.createKey({ agentId: ada.id, name: "k" });
      const { id: issueId } = await issue(world, "Mend the crane");
      for (const name of ["Bea", "Cyd", "Dan"])
        await admin.approvals.hire({ companyId, name, role: "engineer", capabilities: `${name} dives.` });
      const create = (type: string, payload: object) =>
        fetch(`${world.shown.at("/")}api/companies/${companyId}/approvals`, {
          method: "POST",
          headers: { authorization: `Bearer ${asAda.token}`, "content-type": "application/json" },
          body: JSON.stringify({ type, payload }),
        }).then((answer) => expect(answer.status).toBe(201));
      for (const title of ["Repair first", "Rent a dredger"])
        await create("approve_ceo_strategy", { title, summary: "Spring." });
      await create("ownership_decision", { subject: "the gauges", candidateOwners: ["Ada", "Bob"] });
      const ask = (kind: string, title: string, payload: object) =>
        admin.interactions.create({ issueId, kind, title, payload } as never);
      for (const title of ["Close the quay", "Open the lock"])
        await ask("request_confirmation", title, { prompt: `${title}?` });
      await ask("suggest_tasks", "Sub-issues", { tasks: [{ clientKey: "s", title: "Order steel" }] });
      await ask("ask_user_questions", "Paint", {
        questions: [
          {
            id: "colour",
            prompt: "Which colour?",
            selectionMode: "single",
            required: true,
            options: [{ id: "red", label: "Red" }],
          },
        ],
      });
    },
    run: async (o, { admin, companyId }) => {
      const entries = o.page.locator(".inbox-entry");
      const detail = o.page.locator(".inbox-detail");
      await expect.poll(() => entries.count()).toBe(10);
      for (let left = 10; left > 0; left--) {
        // After a decision the next one has the focus.
        if (left === 10) await o.press(entries.first().getByRole("link"), ["j"]);
        const title = await entries.first().getByRole("link").textContent();
        await detail.locator("h2").getByText(title!.trim().slice(0, 4)).first().waitFor();
        const decide = detail.locator("[data-action=approve]");
        await decide.waitFor();
        const owner = detail.getByLabel("Owner");
        const colour = detail.getByRole("radio", { name: "Red" });
        if ((await owner.count()) > 0) await o.choose(owner, "Bob");
        if ((await colour.count()) > 0) await o.press(colour, [], "Space");
        await o.press(decide, (await owner.count()) + (await colour.count()) > 0 ? [] : ["a"]);
        await expect.poll(() => entries.count()).toBe(left - 1);
      }
      // Final decisions are held back for some seconds.
      await expect
        .poll(async () => (await admin.approvals.list({ companyId, status: ["approved"] })).items.length)
        .toBe(6);
    },
  },
  {
    title: "Learn why an agent does nothing",
    path: ({ prefix }) => `/${prefix}/pulse`,
    prepare: async (world) => {
      const { id: agentId } = await hire(world, "Grace Hopper");
      await world.admin.agents.pause({ agentId });
    },
    run: async (o) => {
      await o.press(side(o.page, "Agents"), ["g", "a"]);
      await o.press(
        o.page.getByRole("table", { name: "Agents" }).getByRole("link", { name: "Grace Hopper" }),
        ["j", "Enter"],
      );
      await o.page.getByRole("heading", { name: "Grace Hopper" }).waitFor();
      await o.page
        .locator(".situation")
        .getByText(/paused/i)
        .first()
        .waitFor();
    },
  },
  {
    title: "Find an issue by words of its text",
    path: ({ prefix }) => `/${prefix}/pulse`,
    prepare: async (world) => {
      await issue(world, "Paint the hull");
      await issue(world, "Replace the hook", { description: "The throat is worn by four millimetres." });
    },
    run: async (o) => {
      const search = o.page.getByRole("button", { name: "Search" });
      if (o.hands === "mouse") await o.press(search);
      else await o.key("Control+k");
      o.letters += 12;
      await o.page.keyboard.type("throat worn ");
      const option = o.page.getByRole("option", { name: "Replace the hook" });
      await option.waitFor();
      await o.press(option, ["Enter"]);
      await o.page.getByRole("heading", { name: "Replace the hook" }).waitFor();
    },
  },
  {
    title: "Watch a run and stop it",
    path: ({ prefix }) => `/${prefix}/pulse`,
    prepare: async (world) => {
      const { id } = await hire(world, "Ada", "echo 'Measure the hook.'; exec sleep 600");
      await issue(world, "Replace the hook", { assigneeAgentId: id, status: "todo" });
      await eventually(
        async () => (await world.admin.runs.list({ companyId: world.companyId, status: ["running"] })).items,
        (runs) => runs.length === 1,
      );
    },
    run: async (o, { admin, companyId }) => {
      await o.page.getByText("Measure the hook.").first().waitFor();
      await o.press(o.page.locator("main a[href*='/runs/']").first(), ["j", "Enter"]);
      await o.page.getByRole("log", { name: "Transcript" }).getByText("Measure the hook.").waitFor();
      await o.press(o.page.getByRole("button", { name: /^(Interrupt|Stop|Cancel)/ }).first());
      const sure = o.page.getByRole("dialog").getByRole("button", { name: /^(Interrupt|Stop|Cancel run)/ });
      await eventually(
        async () => {
          if ((await sure.count()) > 0) await o.press(sure);
          return (await admin.runs.list({ companyId })).items;
        },
        ([run]) => run?.finishedAt !== null,
      );
    },
  },
  {
    title: "See a budget used up and raise it from the inbox",
    path: () => "/inbox",
    prepare: async (world) => {
      const { admin, companyId } = world;
      const { id: agentId } = await hire(world, "Hedy", "exit 0", { budgetMonthlyCents: 1000 });
      await admin.costs.report({ companyId, agentId, provider: "p", model: "m", costCents: 1200 });
    },
    run: async (o, { admin, companyId }) => {
      const entry = o.page.locator(".inbox-entry").filter({ hasText: "used up" });
      await entry.waitFor();
      await o.press(entry.getByRole("link"), ["j"]);
      await o.press(o.page.locator(".inbox-detail").getByRole("button", { name: "Edit budget" }), ["a"]);
      await o.type(o.page.getByLabel("Monthly budget (USD)"), "50");
      await o.press(o.page.getByRole("button", { name: "Save", exact: true }), ["Enter"]);
      await entry.waitFor({ state: "detached" });
      const [hedy] = await admin.agents.list({ companyId });
      expect(hedy).toMatchObject({ budgetMonthlyCents: 5000, pauseReason: null });
    },
  },
  {
    title: "Hire Claude Code with a secret that is made there",
    mostKeys: 25,
    path: ({ prefix }) => `/${prefix}/agents`,
    run: async (o, { admin, companyId }) => {
      const dialog = o.page.getByRole("dialog", { name: "Hire an agent" });
      await o.press(o.page.getByRole("button", { name: "Hire agent" }).first(), ["c"]);
      await o.type(dialog.getByLabel("Name", { exact: true }), "Nell");
      await o.choose(dialog.getByLabel("Adapter"), "Claude Code (local)");
      await o.press(dialog.getByRole("button", { name: "Add a secret" }));
      await o.type(dialog.getByLabel("Name of variable 1"), "ANTHROPIC_API_KEY");
      await o.press(dialog.getByRole("button", { name: "New secret for ANTHROPIC_API_KEY" }));
      await o.type(
        o.page.getByRole("dialog", { name: "New secret" }).getByLabel("Value", { exact: true }),
        "sk-ant-0123456789",
      );
      await o.press(o.page.getByRole("button", { name: "Save secret" }), ["Control+Enter"]);
      await expect
        .poll(() => dialog.getByRole("combobox", { name: "Secret of ANTHROPIC_API_KEY" }).inputValue())
        .toBe("ANTHROPIC_API_KEY");
      await o.press(dialog.getByRole("button", { name: "Hire agent" }), ["Control+Enter"]);
      await o.page.getByText("Nell hired").waitFor();
      const [nell] = await admin.agents.list({ companyId });
      expect(nell).toMatchObject({
        adapterType: "adapter_a_local",
        adapterConfig: { env: { ANTHROPIC_API_KEY: { type: "secret_ref" } } },
      });
    },
  },
  {
    title: "Have a routine fire on Mondays at 9:00 in London",
    mostKeys: 12,
    path: ({ prefix }) => `/${prefix}/routines`,
    prepare: async (world) => {
      const { admin, companyId } = world;
      const { id: assigneeAgentId } = await hire(world, "Ada");
      const { id: projectId } = await admin.projects.create({ companyId, name: "Tides" });
      await admin.routines.create({ companyId, title: "Report the week", assigneeAgentId, projectId });
    },
    run: async (o, { admin, companyId }) => {
      await o.press(o.page.getByRole("link", { name: "Report the week" }), ["j", "Enter"]);
      await o.press(o.page.getByRole("button", { name: "A trigger: Add" }), ["t"]);
      await o.take(o.page.getByRole("menuitem", { name: "Schedule" }), "s");
      // Chosen, it is on Mondays at 9:00 unless another day or time is; the fields of a time take more keys than an expression.
      if (o.hands === "mouse") await o.choose(o.page.getByLabel("Repeats"), "Every week");
      else await o.type(o.page.getByLabel("Cron expression"), "0 9 * * mon");
      await o.type(o.page.getByLabel("Time zone"), "London");
      await o.press(o.page.getByRole("dialog").getByRole("button", { name: "Add schedule" }), [
        "Control+Enter",
      ]);
      await o.page
        .getByText(/Saved\./)
        .first()
        .waitFor();
      const [routine] = await admin.routines.list({ companyId });
      const { triggers } = await admin.routines.get({ routineId: routine!.id });
      expect(triggers).toMatchObject([{ cronExpression: "0 9 * * mon", timezone: "Europe/London" }]);
    },
  },
  {
    title: "Answer in a long thread",
    path: ({ prefix }) => `/${prefix}/issues/${prefix}-1`,
    prepare: async (world) => {
      const { id: issueId } = await issue(world, "Mend the crane");
      for (let n = 0; n < 40; n++)
        await world.admin.issues.comment({ issueId, body: `Word ${n}.\n\nAnd more.` });
    },
    run: async (o, { admin, prefix }) => {
      await o.type(o.page.getByRole("textbox", { name: "Comment" }), "On Monday.", ["r"]);
      await o.press(o.page.getByRole("button", { name: "Comment", exact: true }), ["Control+Enter"]);
      await o.page.locator(".issue-timeline").getByText("On Monday.").waitFor();
      const { items } = await admin.issues.comments({ issueId: `${prefix}-1`, limit: 1 });
      expect(items[0]?.body).toBe("On Monday.");
    },
  },
  {
    title: "See what changed today",
    path: ({ prefix }) => `/${prefix}/pulse`,
    prepare: async (world) => {
      await issue(world, "Paint the hull");
    },
    run: async (o) => {
      await o.press(side(o.page, "Activity"), ["g", "y"]);
      await o.page.getByRole("heading", { name: "Activity" }).waitFor();
      await o.press(o.page.getByRole("button", { name: /^Filter by day/ }));
      await o.take(o.page.getByRole("menuitemradio", { name: "Today" }), "t");
      await expect.poll(() => o.page.url()).toContain("day=");
      await o.page.getByText("Paint the hull").first().waitFor();
    },
  },
  {
    title: "Give five issues to somebody else, and undo it",
    path: ({ prefix }) => `/${prefix}/issues`,
    prepare: async (world) => {
      await hire(world, "Zoe");
      for (const title of ["One", "Two", "Three", "Four", "Five"]) await issue(world, title);
    },
    run: async (o, { admin, companyId }) => {
      const boxes = o.page.getByRole("checkbox", { name: /^Select / });
      await expect.poll(() => boxes.count()).toBe(5);
      for (let n = 0; n < 5; n++) await o.press(boxes.nth(n), ["j", "x"]);
      await o.page.getByText("5 selected").waitFor();
      await o.press(o.page.getByRole("button", { name: "Change the assignee of the selected issues" }), [
        "a",
      ]);
      await o.take(o.page.getByRole("menuitem", { name: "Zoe" }), "z");
      const assigned = async () =>
        (await admin.issues.list({ companyId })).items.filter((each) => each.assigneeAgentId !== null).length;
      await expect.poll(assigned).toBe(5);
      await o.page.getByText("5 issues assigned to Zoe").waitFor();
      await o.press(o.page.getByRole("button", { name: "Undo", exact: true }), ["z"]);
      await expect.poll(assigned).toBe(0);
    },
  },
  {
    title: "Invite a viewer",
    mostKeys: 10,
    path: ({ prefix }) => `/${prefix}/pulse`,
    run: async (o, { admin, companyId }) => {
      if (o.hands === "mouse") {
        await o.press(side(o.page, "Settings"));
        await o.press(o.page.getByRole("button", { name: "Invite member" }));
      } else {
        await o.key("Control+k");
        o.letters += 6;
        await o.page.keyboard.type("invite");
        await o.press(o.page.getByRole("option", { name: "Invite a member" }), ["Enter"]);
      }
      await o.type(o.page.getByRole("dialog").getByLabel("Name"), "Ben");
      await o.press(o.page.getByRole("dialog").getByRole("button", { name: "Invite" }), ["Enter"]);
      await o.page.getByRole("dialog", { name: "A link for Ben" }).waitFor();
      expect(await admin.members.list({ companyId })).toContainEqual(
        expect.objectContaining({ name: "Ben", role: "viewer" }),
      );
    },
  },
  {
    title: "Change a status in one tab and see it in the other",
    path: ({ prefix }) => `/${prefix}/issues/${prefix}-1`,
    prepare: async (world) => {
      await issue(world, "Mend the crane");
    },
    run: async (o, { openTab, prefix }) => {
      const other = await openTab(`/${prefix}/issues/${prefix}-1`);
      await other.locator(".live-mark.live").waitFor();
      await o.page.bringToFront();
      await o.press(o.page.getByRole("button", { name: "Change the status" }), ["s"]);
      const blocked = o.page.getByRole("option", { name: "Blocked" });
      await blocked.waitFor();
      if (o.hands === "keyboard") {
        o.letters += 5;
        await o.page.keyboard.type("block");
      }
      await o.press(blocked, ["Enter"]);
      await other.locator(".issue-facts").getByText("Blocked", { exact: true }).waitFor();
      await other.close();
    },
  },
  {
    title: "Act without a connection, read that it was not done, and do it again",
    path: ({ prefix }) => `/${prefix}/issues/${prefix}-1`,
    isOffline: true,
    prepare: async (world) => {
      await issue(world, "Mend the crane");
    },
    run: async (o, { admin, prefix, shown }) => {
      const change = async () => {
        await o.press(o.page.getByRole("button", { name: "Change the status" }), ["s"]);
        await o.page.getByRole("option", { name: "Blocked" }).waitFor();
        if (o.hands === "keyboard") {
          o.letters += 5;
          await o.page.keyboard.type("block");
        }
        await o.press(o.page.getByRole("option", { name: "Blocked" }), ["Enter"]);
      };
      const facts = o.page.getByRole("complementary", { name: "Facts" });
      await o.page.locator(".live-mark.live").waitFor();
      await shown.context.setOffline(true);
      await change();
      await o.page.getByRole("alert").first().waitFor();
      await facts.getByText("Backlog", { exact: true }).waitFor();
      await shown.context.setOffline(false);
      await o.page.locator(".live-mark.live").waitFor();
      expect((await admin.issues.get({ issueId: `${prefix}-1` })).status).toBe("backlog");
      await change();
      await facts.getByText("Blocked", { exact: true }).waitFor();
      await expect
        .poll(async () => (await admin.issues.get({ issueId: `${prefix}-1` })).status)
        .toBe("blocked");
    },
  },
  {
    title: "Read hostile texts and answer them",
    path: ({ prefix }) => `/${prefix}/issues`,
    prepare: async (world) => {
      const text = `<img src=x onerror="window.broken=1"> ![x](https://example.com/p.png) \u202e<script>window.broken=1</script>`;
      const { id: issueId } = await issue(world, text, { description: text });
      await world.admin.issues.comment({ issueId, body: `\`\`\`html\n${text}\n\`\`\`\n${text}` });
    },
    run: async (o) => {
      const link = o.page.getByRole("link", { name: /onerror/ }).first();
      await link.waitFor();
      await o.press(link, ["j", "Enter"]);
      await o.page.locator(".hljs-tag").first().waitFor();
      await o.type(o.page.getByRole("textbox", { name: "Comment" }), "No.", ["r"]);
      await o.press(o.page.getByRole("button", { name: "Comment", exact: true }), ["Control+Enter"]);
      await o.page.locator(".issue-timeline").getByText("No.", { exact: true }).waitFor();
      expect(await o.page.evaluate("window.broken")).toBeUndefined();
      expect(await o.page.locator("main img, main script").count()).toBe(0);
    },
  },
];

interface Counted {
  readonly acts: number;
  readonly letters: number;
}

const row = (title: string, mouse: Counted, keyboard: Counted): string =>
  `| ${title} | ${mouse.acts} | ${mouse.letters} | ${keyboard.acts} | ${keyboard.letters} |`;

describe.skipIf(chromiumPath === null)("An operator at the board page", () => {
  let board: Board;
  const counted = new Map<string, Record<Hands, Counted>>();
  beforeAll(async () => {
    board = await startBoard({ role: "all" });
  });
  afterAll(() => board?.stop());

  const worldOf = async (task: Task, hands: Hands): Promise<World> => {
    const { admin } = board.service;
    const company = await admin.companies.create({ name: `${task.title} by ${hands}` });
    const { id: ownerId } = await admin.users.create({ name: "Olga" });
    await admin.members.set({ companyId: company.id, userId: ownerId, role: "owner" });
    const shown = await board.signedIn("/api/health", {
      token: task.path({ prefix: "" } as World) === "/new" ? board.service.token : await tokenOf(ownerId),
    });
    const world: World = {
      admin,
      companyId: company.id,
      prefix: company.issuePrefix,
      ownerId,
      shown,
      openTab: async (path) => {
        const page = await shown.context.newPage();
        await page.goto(shown.at(path));
        return page;
      },
    };
    await task.prepare?.(world);
    return world;
  };
  const tokenOf = async (userId: string) =>
    (await board.service.admin.tokens.create({ name: "t", userId })).token;

  for (const task of tasks)
    it.each(["mouse", "keyboard"] as const)(`${task.title}, by %s alone`, async (hands) => {
      const world = await worldOf(task, hands);
      const { page, at, expectClean, close } = world.shown;
      await page.goto(at(task.path(world)));
      await page.locator("main h1").waitFor();
      await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
      const operator = new Operator(hands, page);
      await task.run(operator, world);
      const { acts, letters } = operator;
      counted.set(task.title, { ...counted.get(task.title)!, [hands]: { acts, letters } });
      if (task.isOffline === undefined) expectClean();
      await close();
    });

  it("does each in no more clicks and keys than docs/operator-tasks.md says", async () => {
    const text = await readFile(table, "utf8");
    const rows = tasks.flatMap(({ title }) => {
      const done = counted.get(title);
      return done === undefined ? [] : [row(title, done.mouse, done.keyboard)];
    });
    console.info(rows.join("\n"));
    if (process.env.COUNT_TASKS !== undefined && rows.length === tasks.length) {
      const head = text.slice(
        0,
        text.lastIndexOf("| ---") + text.slice(text.lastIndexOf("| ---")).indexOf("\n"),
      );
      await writeFile(table, `${head}\n${rows.join("\n")}\n`);
      return;
    }
    for (const { title, mostKeys = Number.POSITIVE_INFINITY } of tasks) {
      const done = counted.get(title);
      const stated = text.split("\n").find((line) => line.startsWith(`| ${title} |`));
      expect(stated, title).toBeDefined();
      const [, , mouse, , keyboard] = stated!.split("|").map((cell) => cell.trim());
      expect(done!.mouse.acts, title).toBeLessThanOrEqual(Number(mouse) + slack);
      expect(done!.keyboard.acts, title).toBeLessThanOrEqual(Number(keyboard) + slack);
      expect(done!.keyboard.acts, title).toBeLessThanOrEqual(mostKeys);
    }
  });
});
