import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Board, startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

/** Eight characters that nobody sees, and what the page shows in their place. */
const hidden = [0x200b, 0x202e, 0x2066, 0x3164, 0x034f, 0x2800, 0xfeff, 0xe0041] as const;
const characters = hidden.map((each) => String.fromCodePoint(each)).join("");
const spelled = hidden.map((each) => `\\u{${each.toString(16)}}`).join("");

/** A text that hides its end. It begins with a name that identifies the place where it is shown. */
const trap = (name: string) => `${name}${characters} then${" ".repeat(3_000)}end`;
const short = (name: string) => `${name}${characters}`;
const shown = (name: string) => `${name}${spelled}`;

describe.skipIf(chromiumPath === null)("A request that a person decides about", () => {
  let board: Board;
  let companyId: string;
  let issueId: string;
  let issuePath: string;
  beforeAll(async () => {
    board = await startBoard();
    const { admin } = board.service;
    ({ id: companyId } = await admin.companies.create({ name: "Harbour Works" }));
    const issue = await admin.issues.create({ companyId, title: "Mend the crane" });
    [issueId, issuePath] = [issue.id, `/HAR/issues/${issue.identifier}`];
  });
  afterAll(() => board?.stop());

  const interactions = {
    request_confirmation: {
      payload: {
        prompt: short("Prompt"),
        detailsMarkdown: trap("Details"),
        acceptLabel: short("Accept"),
        rejectLabel: short("Decline"),
      },
      texts: ["Prompt", "Details", "Accept", "Decline"],
    },
    ask_user_questions: {
      payload: {
        questions: [
          {
            id: "q",
            prompt: short("Question"),
            helpText: short("Help"),
            selectionMode: "single",
            required: true,
            options: [{ id: "o", label: short("Option"), description: short("Explained") }],
          },
        ],
        submitLabel: short("Submit"),
      },
      texts: ["Question", "Help", "Option", "Explained", "Submit"],
    },
    suggest_tasks: {
      payload: { tasks: [{ clientKey: "t", title: short("Task"), description: trap("Description") }] },
      texts: ["Task", "Description"],
    },
  } as const;

  it.each(Object.keys(interactions) as (keyof typeof interactions)[])(
    "shows what it hides, in the thread and in the inbox: %s",
    async (kind) => {
      const { payload, texts } = interactions[kind];
      await board.service.admin.interactions.create({
        ...{ issueId, kind, title: short(`Title of ${kind}`), summary: short("Summary") },
        payload,
      } as never);
      const { page, close } = await board.signedIn(issuePath);
      const shownAs = page.getByRole("article", { name: `Interaction: Title of ${kind}` });
      await shownAs.waitFor();
      const text = await shownAs.evaluate(
        (element) => (element as unknown as { textContent: string }).textContent,
      );
      for (const name of [`Title of ${kind}`, "Summary", ...texts]) expect(text).toContain(shown(name));
      expect(text).not.toMatch(/ {41,}/);
      for (const each of characters) expect(text).not.toContain(each);
      await page.goto("/inbox");
      await page
        .getByText(shown(`Title of ${kind}`))
        .first()
        .waitFor();
      await close();
    },
  );

  const approvals = {
    approve_ceo_strategy: {
      payload: {
        title: short("Strategy"),
        plan: trap("Plan"),
        risks: [trap("Risk")],
        id: trap("Id"),
        [short("Field")]: "x",
      },
      texts: ["Plan", "Risk", "Id", "Field"],
      name: "Strategy",
    },
    hire_agent: {
      payload: {
        ...{ name: short("Hire"), title: short("Rank"), capabilities: trap("Can") },
        ...{ adapterType: "process", adapterConfig: { command: trap("Command") } },
      },
      texts: ["Rank", "Can", "Command"],
      name: "Hire",
    },
    ownership_decision: {
      payload: { subject: short("Subject"), candidateOwners: [short("Candidate")] },
      texts: ["Candidate"],
      name: "Subject",
    },
  } as const;

  it.each(Object.keys(approvals) as (keyof typeof approvals)[])(
    "shows what it hides, on its screen and in the inbox: %s",
    async (type) => {
      const { payload, texts, name } = approvals[type];
      const { id } = await board.service.admin.approvals.create({ companyId, type, payload } as never);
      const { page, close } = await board.signedIn(`/HAR/approvals/${id}`);
      await page
        .getByRole("heading", { name: shown(name) })
        .first()
        .waitFor();
      for (const each of texts) await page.getByText(shown(each)).first().waitFor({ state: "attached" });
      const text = await page.evaluate("document.querySelector('main').textContent");
      expect(text).not.toMatch(/ {41,}/);
      for (const each of characters) expect(text).not.toContain(each);
      await page.goto("/inbox");
      await page.getByText(shown(name)).first().waitFor();
      await close();
    },
  );
});
