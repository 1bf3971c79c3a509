import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { databaseUrl } from "../support/migrated-template.ts";

/** Locales of servers: CloudNativePG's, the embedded server's, and two of ICU, of which one has other small letters. */
const locales = {
  c: "locale_provider libc locale 'C'",
  utf8: "locale_provider libc locale 'C.utf8'",
  american: "locale 'C' locale_provider icu icu_locale 'en-US'",
  turkish: "locale 'C' locale_provider icu icu_locale 'tr-TR'",
};

let admin: postgres.Sql;
const services = new Map<string, ApiService>();
const nameOf = (locale: string) => `locale_${locale}_${process.pid}`;

beforeAll(async () => {
  const provided = inject("postgres");
  if ("unavailable" in provided) throw new Error(provided.unavailable);
  admin = postgres(provided.url, { max: 1, onnotice: () => {} });
  for (const [locale, options] of Object.entries(locales)) {
    await admin.unsafe(`create database ${nameOf(locale)} template template0 encoding 'UTF8' ${options}`);
    services.set(
      locale,
      await startApi({ env: { DATABASE_URL: databaseUrl(provided.url, nameOf(locale)) } }),
    );
  }
});
afterAll(async () => {
  for (const [locale, service] of services) {
    await service.stop();
    await admin.unsafe(`drop database ${nameOf(locale)} with (force)`);
  }
  await admin?.end();
});

/** The answers of all databases to the same requests, by locale. */
const answers = async <T>(ask: (api: ApiService) => Promise<T>): Promise<readonly T[]> => {
  const all: T[] = [];
  for (const api of services.values()) all.push(await ask(api));
  return all;
};
const everywhere = <T>(answer: T): readonly T[] => Object.keys(locales).map(() => answer);

describe("whatever the locale of the database", () => {
  it.each([
    ["Überprüfung", "überprüfung"],
    ["überprüfung", "ÜBERPRÜFUNG"],
    ["Проверка INDEX", "проверка index"],
    ["ΣΊΣΥΦΟΣ", "σίσυφος"],
    ["Read the „Prüfung“ now", "prüfung"],
    ["Run tests…now", "tests"],
    ["一年の Überblick", "überblick"],
    ["No\u00a0break\u2003space", "break"],
  ])("%s is found by %s", async (title, words) => {
    const found = await answers(async (api) => {
      const { id } = await api.company();
      await api.issue(id, { title });
      const list = await api.get(`/api/companies/${id}/issues?q=${encodeURIComponent(words)}`);
      const search = await api.get(`/api/companies/${id}/issues/search?q=${encodeURIComponent(words)}`);
      return [list.body.map((issue: { title: string }) => issue.title), search.body.length];
    });
    expect(found).toEqual(everywhere([[title], 1]));
  });

  it("names are in one order, and the same name twice is refused", async () => {
    const names = [
      "zebra",
      "Äpfel",
      "apple",
      "Zoo",
      "a-b",
      "ab",
      "A_c",
      "İstanbul",
      "Ilk",
      "école",
      "Öl",
      "10",
      "9",
    ];
    const seen = await answers(async (api) => {
      const { id } = await api.company();
      for (const name of names) await api.make(`/api/companies/${id}/labels`, { name, color: "#112233" });
      const twice = await api.post(`/api/companies/${id}/labels`, { name: "äPFEL", color: "#112233" });
      const labels = await api.get(`/api/companies/${id}/labels`);
      return { twice: twice.status, names: labels.body.map(({ name }: { name: string }) => name) };
    });
    expect(new Set(seen.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(seen[0]!.twice).toBe(409);
    expect(seen[0]!.names.slice(0, 4)).toEqual(["10", "9", "a-b", "A_c"]);
  });
});
