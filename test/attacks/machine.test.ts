import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/service.ts";
import { type AttackedService, attackedService } from "./attacked-service.ts";
import { machine } from "./attempts/machine.ts";
import { carryOut } from "./carry-out.ts";

let attacked: AttackedService;
let acme: string;
let globex: string;

carryOut(
  machine,
  ["root", "user"],
  {
    "another-companys-files": async () => {
      const { agentId, runId } = await attacked.invoke(acme, {
        ...nodeAgent(`
          import { writeFileSync } from "node:fs";
          for (const folder of [process.env.HOME, process.cwd()]) writeFileSync(folder + "/kept", "x", { mode: 0o666 });
          console.log("kept in " + process.env.HOME);
        `),
      });
      await eventually(
        () => attacked.printed(runId),
        (text) => text.includes("kept in"),
      );
      const theirs = [
        join(attacked.dataDir, "workspaces", agentId, "kept"),
        join(attacked.dataDir, "homes", acme, "kept"),
      ];
      for (const path of theirs)
        expect(
          await attacked.attempt(globex, `return tried(() => fs.readFileSync(process.env.THEIRS, "utf8"))`, {
            env: { THEIRS: path },
          }),
        ).toBe("ENOENT");
    },
  },
  (place) => {
    beforeAll(async () => {
      attacked = await attackedService(place);
      acme = (await attacked.board.companies.create({ name: "Acme" })).id;
      globex = (await attacked.board.companies.create({ name: "Globex" })).id;
    });
    afterAll(() => attacked?.close());
  },
);
