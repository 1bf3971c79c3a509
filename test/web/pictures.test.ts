import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startBoard } from "./board.ts";
import { chromiumPath } from "./chromium.ts";

const folder = join(import.meta.dirname, "../../dist/pictures");

const paths = {
  inbox: "/inbox",
  pulse: "/HAR/pulse",
  issues: "/HAR/issues",
  board: "/HAR/issues?view=board",
  issue: "/HAR/issues/HAR-1",
  agents: "/HAR/agents",
  runs: "/HAR/runs",
  routines: "/HAR/routines",
  organisation: "/HAR/org",
  spend: "/HAR/spend",
  activity: "/HAR/activity",
  secrets: "/HAR/secrets",
  settings: "/HAR/settings",
};

const looks = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  narrow: { colorScheme: "light", viewport: { width: 390, height: 844 } },
} as const;

/**
 * `npm run pictures` takes each screen, light, dark and narrow, below dist/pictures. It is for people, so no other test
 * run includes it.
 */
describe.skipIf(chromiumPath === null || !process.env.PICTURES)("Pictures of the board page", () => {
  it("are taken of a company at work", async () => {
    const board = await startBoard();
    try {
      const { admin } = board.service;
      const { id: companyId } = await admin.companies.create({
        name: "Harbour Works",
        budgetMonthlyCents: 50_000,
      });
      const agents = await Promise.all(
        ["Ada Lovelace", "Grace Hopper", "Margaret Hamilton"].map((name) =>
          admin.agents.create({
            companyId,
            name,
            role: "engineer",
            adapterType: "process",
            adapterConfig: { command: "true" },
          }),
        ),
      );
      const titles = [
        "Mend the crane",
        "Paint the hull",
        "Order rope",
        "Plan the spring survey",
        "Explain the new tariff",
      ];
      const priorities = ["critical", "high", "medium", "low"] as const;
      for (const [at, title] of titles.entries()) {
        const { id: issueId } = await admin.issues.create({
          companyId,
          title,
          description: `**${title}** before spring, as \`survey.md\` says.`,
          priority: priorities[at % priorities.length]!,
          ...(at % 2 === 0 ? { assigneeAgentId: agents[at % agents.length]!.id } : {}),
        });
        await admin.issues.comment({
          issueId,
          body: "The hook is worn: see `log/2026-03.txt`.\n\n- [x] measured\n- [ ] mended",
        });
      }
      await mkdir(folder, { recursive: true });
      for (const [look, options] of Object.entries(looks)) {
        const { page, at, close } = await board.signedIn("/inbox", options);
        for (const [name, path] of Object.entries(paths)) {
          await page.goto(at(path));
          await page.locator("h1").waitFor();
          await expect.poll(() => page.locator(".skeleton").count()).toBe(0);
          await page.screenshot({ path: join(folder, `${name}-${look}.png`) });
        }
        await close();
      }
    } finally {
      await board.stop();
    }
  }, 300_000);
});
