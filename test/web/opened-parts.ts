import type { Page } from "playwright-core";

/** Parts that a click or a key opens on a screen of the company at work, by a name: the screen, and how they are opened. */
interface OpenedPart {
  readonly on: string;
  readonly open: (page: Page) => Promise<unknown>;
}

const button = (name: string | RegExp) => (page: Page) =>
  page.getByRole("main").getByRole("button", { name, exact: true }).first().click();

const dialogBy = (name: string | RegExp) => async (page: Page) => {
  await button(name)(page);
  await page.getByRole("dialog").waitFor();
};

const menuBy = (name: string | RegExp) => async (page: Page) => {
  await button(name)(page);
  await page.getByRole("menu").waitFor();
};

const shownBy = (name: string | RegExp, selector: string) => async (page: Page) => {
  await button(name)(page);
  await page.locator(selector).first().waitFor();
};

/** Opens what a phone has folded, first. */
const unfolded = (name: RegExp, open: OpenedPart["open"]) => async (page: Page) => {
  const fold = page.getByRole("main").getByRole("button", { name, expanded: false });
  if (await fold.isVisible()) await fold.click();
  await open(page);
};

const key = (keys: string) => async (page: Page) => {
  await page.keyboard.press(keys);
  await page.getByRole("dialog").waitFor();
};

export const openedParts: Readonly<Record<string, OpenedPart>> = {
  "new issue": { on: "issues", open: dialogBy("New issue") },
  "edited issue": { on: "issue", open: dialogBy("Edit") },
  "new document": { on: "issue", open: dialogBy("Add a document") },
  "linked approval": { on: "issue", open: unfolded(/^Show all/, dialogBy("Link an approval")) },
  "edited agent": { on: "agent-configuration", open: dialogBy("Edit") },
  "new project": { on: "projects", open: dialogBy("New project") },
  "edited project": { on: "project", open: dialogBy("Edit") },
  "new goal": { on: "goals", open: dialogBy("New goal") },
  "edited goal": { on: "goal", open: dialogBy("Edit") },
  "new routine": { on: "routines", open: dialogBy("New routine") },
  "edited routine": {
    on: "routine",
    open: async (page) => {
      await menuBy("Edit routine")(page);
      await page.getByRole("menuitem", { name: "Edit" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "new secret": { on: "secrets", open: dialogBy("New secret") },
  "new vault": { on: "secrets", open: dialogBy("Add vault") },
  secret: {
    on: "secrets",
    open: async (page) => {
      await page.locator(".secrets-open").first().click();
      await page.getByRole("dialog").waitFor();
    },
  },
  invitation: { on: "settings", open: dialogBy("Invite member") },
  "filter menu": { on: "issues", open: menuBy("Filter Filter") },
  "assignee menu": {
    on: "issues",
    open: async (page) => {
      await menuBy("Filter Filter")(page);
      await page.getByRole("menuitem", { name: "Assignee" }).click();
    },
  },
  "choice of a parent": {
    on: "issues",
    open: async (page) => {
      await menuBy("Filter Filter")(page);
      await page.getByRole("menuitem", { name: "Parent issue" }).click();
      await page.getByRole("dialog", { name: "Show sub-issues of an issue" }).waitFor();
    },
  },
  "display of issues": { on: "issues", open: shownBy("Display", ".panel:popover-open") },
  "card menu": { on: "board", open: menuBy(/^Move /) },
  "agent menu": { on: "agent", open: menuBy("More") },
  "budget of an agent": { on: "agent", open: dialogBy(/^Edit the budget of/) },
  "wake with a message": {
    on: "agent",
    open: async (page) => {
      await menuBy("More")(page);
      await page.getByRole("menuitem", { name: "Wake with a message" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "terminated agent": {
    on: "agent",
    open: async (page) => {
      await menuBy("More")(page);
      await page.getByRole("menuitem", { name: "Terminate" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "events of a run": { on: "run", open: shownBy("Events", ".run-event") },
  "log of a run": { on: "run", open: shownBy("Raw log", ".run-raw .run-block") },
  "changes of a run": { on: "run", open: shownBy("Changes", ".run-changes") },
  "gates of an issue": {
    on: "issue",
    open: async (page) => {
      await menuBy(/^Add to the issue/)(page);
      await page.getByRole("menuitem", { name: "Gate" }).click();
      await page.locator("[aria-labelledby=issue-gates] p").first().waitFor();
    },
  },
  "new repository": { on: "project", open: shownBy("Add a repository", "[name=url]") },
  "new MCP server": { on: "settings", open: shownBy("Add an MCP server", "form") },
  "new event subscription": { on: "settings", open: shownBy("Add an event subscription", "form") },
  palette: { on: "pulse", open: key("Control+k") },
  keys: { on: "issue", open: key("?") },
};
