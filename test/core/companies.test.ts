import * as Result from "effect/Result";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CompanyStatus,
  companyStatuses,
  issuePrefixOf,
  moveCompany,
  nextIssuePrefix,
} from "../../core/model/companies/company.ts";
import { isIssueIdentifier } from "../../core/model/shared/ids.ts";
import { aCompany, now } from "../support/nouns.ts";

describe("A company", () => {
  const reachable: Record<CompanyStatus, readonly CompanyStatus[]> = {
    active: ["paused", "archived"],
    paused: ["active", "archived"],
    archived: ["active"],
  };

  test.each(companyStatuses.flatMap((from) => companyStatuses.map((to) => [from, to] as const)))(
    "moves from %s to %s as the table says",
    (from, to) => {
      const company = aCompany({ status: from });
      const result = moveCompany(company, to, now);
      if (from === to) expect(Result.getOrThrow(result)).toBe(company);
      else if (reachable[from].includes(to))
        expect(Result.getOrThrow(result)).toEqual({ ...company, status: to, updatedAt: now });
      else
        expect(result).toMatchObject({
          failure: { code: "company_archived", kind: "conflict" },
        });
    },
  );
});

describe("The prefix of a company's issues", () => {
  test.each([
    ["Acme", "ACM"],
    ["acme corporation", "ACM"],
    ["A.C.M.E.", "ACM"],
    ["3M", "M"],
    ["Ünal Ölü", "UNA"],
    ["straße 7", "STR"],
    ["小明", "CMP"],
    ["42", "CMP"],
    ["🤖", "CMP"],
  ])("of %j is %s", (name, prefix) => {
    expect(issuePrefixOf(name)).toBe(prefix);
  });

  test.each([
    [0, "ABC"],
    [1, "ABCA"],
    [2, "ABCB"],
    [26, "ABCZ"],
    [27, "ABCAA"],
    [52, "ABCAZ"],
    [53, "ABCBA"],
    [702, "ABCZZ"],
    [703, "ABCAAA"],
  ])("if %i are taken already is %s", (n, prefix) => {
    expect(nextIssuePrefix("ABC", n)).toBe(prefix);
  });

  test("makes readable identifiers for every name", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.nat(1000),
        fc.integer({ min: 1, max: 999_999_999 }),
        (name, n, number) => {
          expect(isIssueIdentifier(`${nextIssuePrefix(issuePrefixOf(name), n)}-${number}`)).toBe(true);
        },
      ),
    );
  });

  test("tries no candidate twice", () => {
    const candidates = Array.from({ length: 2000 }, (_, n) => nextIssuePrefix("ABC", n));
    expect(new Set(candidates).size).toBe(candidates.length);
  });
});
