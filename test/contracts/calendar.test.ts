import { describe, expect, it } from "vitest";
import { cronerCalendar } from "../../adapters-infra/local/croner-calendar.ts";

const calendar = cronerCalendar();

/** Gives the next ticks after an instant, as many as expected. */
const ticks = (cronExpression: string, timezone: string, after: string, count: number): string[] => {
  const found: string[] = [];
  for (let at: string | null = after; found.length < count; found.push(at)) {
    at = calendar.next({ cronExpression, timezone }, at);
    if (at === null) return found;
  }
  return found.map((tick) => tick.replace(":00.000Z", "Z"));
};

describe("A fixed time fires once on both days of a change of the clock", () => {
  it.each([
    // Skipped times fire at the first moment after the gap.
    ["Europe/London", "30 1 * * *", "2026-03-28T12:00Z", ["2026-03-29T01:00Z", "2026-03-30T00:30Z"]],
    ["America/New_York", "30 2 * * *", "2026-03-07T12:00Z", ["2026-03-08T07:00Z", "2026-03-09T06:30Z"]],
    ["Australia/Lord_Howe", "15 2 * * *", "2026-10-02T16:00Z", ["2026-10-03T15:30Z", "2026-10-04T15:15Z"]],
    ["Africa/Casablanca", "30 2 * * *", "2026-03-21T12:00Z", ["2026-03-22T02:00Z", "2026-03-23T01:30Z"]],
    // Repeated times fire at the first of the two.
    ["Europe/London", "30 1 * * *", "2026-10-24T12:00Z", ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]],
    ["America/New_York", "30 1 * * *", "2026-10-31T12:00Z", ["2026-11-01T05:30Z", "2026-11-02T06:30Z"]],
    ["Australia/Lord_Howe", "45 1 * * *", "2026-04-04T12:00Z", ["2026-04-04T14:45Z", "2026-04-05T15:15Z"]],
    ["Africa/Casablanca", "30 2 * * *", "2026-02-14T12:00Z", ["2026-02-15T01:30Z", "2026-02-16T02:30Z"]],
    // A list of times is fixed as well.
    [
      "America/New_York",
      "30 1,13 * * *",
      "2026-10-31T20:00Z",
      ["2026-11-01T05:30Z", "2026-11-01T18:30Z", "2026-11-02T06:30Z"],
    ],
  ])("%s %s after %s", (zone, cron, after, expected) => {
    expect(ticks(cron, zone, `${after.slice(0, -1)}:00.000Z`, expected.length)).toEqual(expected);
  });
});

describe("A schedule with a wildcard continues in real time", () => {
  it.each([
    ["Europe/London", "2026-03-29T00:00:00.000Z"],
    ["Europe/London", "2026-10-24T23:00:00.000Z"],
    ["America/New_York", "2026-03-08T05:00:00.000Z"],
    ["America/New_York", "2026-11-01T04:00:00.000Z"],
    ["Australia/Lord_Howe", "2026-04-04T13:00:00.000Z"],
    ["Australia/Lord_Howe", "2026-10-03T14:00:00.000Z"],
    ["Africa/Casablanca", "2026-02-15T00:00:00.000Z"],
    ["Africa/Casablanca", "2026-03-22T00:00:00.000Z"],
  ])("every quarter of an hour in %s over the change after %s", (zone, from) => {
    const expected = Array.from({ length: 20 }, (_, n) =>
      new Date(Date.parse(from) + (n + 1) * 15 * 60_000).toISOString().replace(":00.000Z", "Z"),
    );
    expect(ticks("*/15 * * * *", zone, from, 20)).toEqual(expected);
  });
});

describe("Where both day fields restrict", () => {
  it.each([
    // 2026-11-01 is a Sunday.
    ["0 9 1,15 * mon", "either counts", ["2026-11-01", "2026-11-02", "2026-11-09", "2026-11-15"]],
    [
      "0 9 */2 * mon",
      "both count, because one begins with *",
      ["2026-11-09", "2026-11-23", "2026-12-07", "2026-12-21"],
    ],
    [
      "0 9 1-7 * */7",
      "both count, because one begins with *",
      ["2026-11-01", "2026-12-06", "2027-01-03", "2027-02-07"],
    ],
    [
      "0 9 */31,1-7 * mon",
      "both count: the first Monday",
      ["2026-11-02", "2026-12-07", "2027-01-04", "2027-02-01"],
    ],
    ["0 9 1,15 * *", "only one restricts", ["2026-11-01", "2026-11-15", "2026-12-01", "2026-12-15"]],
    ["0 9 * * mon", "only one restricts", ["2026-11-02", "2026-11-09", "2026-11-16", "2026-11-23"]],
  ])("%s: %s", (cron, _, days) => {
    expect(ticks(cron, "UTC", "2026-11-01T00:00:00.000Z", 4)).toEqual(days.map((day) => `${day}T09:00Z`));
  });
});

describe("The calendar", () => {
  it.each([
    ["0 0 29 2 *", ["2028-02-29T00:00Z", "2032-02-29T00:00Z"]],
    ["0 0 31 * *", ["2026-12-31T00:00Z", "2027-01-31T00:00Z", "2027-03-31T00:00Z", "2027-05-31T00:00Z"]],
    ["0 0 * * 7", ["2026-11-22T00:00Z", "2026-11-29T00:00Z"]],
    ["0 0 * * 0", ["2026-11-22T00:00Z", "2026-11-29T00:00Z"]],
    ["0 0 * * sun", ["2026-11-22T00:00Z", "2026-11-29T00:00Z"]],
    ["0 9 * JAN MON-WED", ["2027-01-04T09:00Z", "2027-01-05T09:00Z", "2027-01-06T09:00Z"]],
    ["0 9 1-7/3 * *", ["2026-12-01T09:00Z", "2026-12-04T09:00Z", "2026-12-07T09:00Z"]],
    ["0,30 9 * * *", ["2026-11-21T09:00Z", "2026-11-21T09:30Z", "2026-11-22T09:00Z"]],
    // If both days are named, either one matches.
    ["0 0 13 * 5", ["2026-11-27T00:00Z", "2026-12-04T00:00Z", "2026-12-11T00:00Z", "2026-12-13T00:00Z"]],
    ["@hourly", ["2026-11-21T01:00Z", "2026-11-21T02:00Z"]],
    ["@daily", ["2026-11-22T00:00Z", "2026-11-23T00:00Z"]],
    ["@weekly", ["2026-11-22T00:00Z", "2026-11-29T00:00Z"]],
    ["@monthly", ["2026-12-01T00:00Z", "2027-01-01T00:00Z"]],
    ["@yearly", ["2027-01-01T00:00Z", "2028-01-01T00:00Z"]],
  ])("reads %s", (cron, expected) => {
    expect(ticks(cron, "UTC", "2026-11-21T00:00:00.000Z", expected.length)).toEqual(expected);
  });

  it("counts only ticks strictly after the instant", () => {
    const hourly = { cronExpression: "0 * * * *", timezone: "UTC" };
    expect(calendar.next(hourly, "2026-11-21T00:59:59.999Z")).toBe("2026-11-21T01:00:00.000Z");
    expect(calendar.next(hourly, "2026-11-21T01:00:00.000Z")).toBe("2026-11-21T02:00:00.000Z");
  });

  it.each([
    "",
    "* * * *",
    "* * * * * *",
    "@reboot",
    "@every 5m",
    "0 0 L * *",
    "0 0 15W * *",
    "0 0 * * 5#2",
    "0 0 ? * *",
    "0 0 13 * +5",
    "60 * * * *",
    "0 24 * * *",
    "0 0 0 * *",
    "0 0 * 13 *",
    "0 0 * * 8",
    "*/0 * * * *",
    "mon * * * *",
    "2026-01-01T00:00:00",
    "0\n0 * * *",
    "0 0 30 2 *",
    "٣ * * * *",
  ])("refuses %j", (cronExpression) => {
    expect(calendar.refuse({ cronExpression, timezone: "UTC" })?.code).toBe("cron_invalid");
  });

  it.each(["", "Europe/Atlantis", "+02:00", "GMT+2", "local", "Europe/London\u0000", "../etc/passwd"])(
    "refuses the zone %j",
    (timezone) => {
      expect(calendar.refuse({ cronExpression: "@daily", timezone })?.code).toBe("timezone_invalid");
    },
  );

  it.each(["UTC", "Europe/London", "America/Argentina/Buenos_Aires", "Etc/GMT-3", "US/Pacific"])(
    "accepts the zone %s",
    (timezone) => expect(calendar.refuse({ cronExpression: "@daily", timezone })).toBeNull(),
  );
});
