import { afterAll, beforeAll, expect } from "vitest";
import { type AttackedService, attackedService } from "./attacked-service.ts";
import { text } from "./attempts/text.ts";
import { carryOut } from "./carry-out.ts";

let attacked: AttackedService;
let companyId: string;

carryOut(
  text,
  ["root", "user"],
  {
    "endless-tags": async () => {
      const { id } = await attacked.board.issues.create({ companyId, title: "Talk" });
      const statuses = await attacked.attempt(
        companyId,
        `const statuses = [];
        for (const unit of ["<!--", "@1A", "_a", "~/", "\\u0301\\u0316"]) {
          const body = ("a" + unit.repeat(600_000)).slice(0, unit > "\\u00ff" ? 262_000 : 524_000);
          statuses.push((await call("POST", "/api/issues/${id}/comments", { body })).status);
        }
        return statuses;`,
      );
      expect(statuses).toEqual([201, 201, 201, 201, 201]);
    },
  },
  (environment) => {
    beforeAll(async () => {
      attacked = await attackedService(environment);
      companyId = (await attacked.board.companies.create({ name: "Texts" })).id;
    });
    afterAll(() => attacked?.close());
  },
);
