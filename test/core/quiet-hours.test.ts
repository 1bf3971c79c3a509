import { describe, expect, it } from "vitest";
import { digestDay, nextDigestAt } from "../../core/model/notices/digest.ts";
import { defaultNotices } from "../../core/model/notices/notice-settings.ts";
import { isTimeZone, quietUntil } from "../../core/model/notices/quiet-hours.ts";

const night = { from: "22:00", to: "07:00" };

describe("quiet hours", () => {
  it.each([
    ["in the evening", "2026-01-10T21:30:20.000Z", "2026-01-11T06:00:00.000Z"],
    ["after midnight", "2026-01-11T03:00:00.000Z", "2026-01-11T06:00:00.000Z"],
    ["at the first minute", "2026-01-10T21:00:00.000Z", "2026-01-11T06:00:00.000Z"],
    ["not at the end", "2026-01-11T06:00:00.000Z", null],
    ["not by day", "2026-01-11T12:00:00.000Z", null],
    [
      "of the night in which the clocks are put forward",
      "2026-03-28T22:00:00.000Z",
      "2026-03-29T05:00:00.000Z",
    ],
    ["of the night in which they are put back", "2026-10-24T21:00:00.000Z", "2026-10-25T06:00:00.000Z"],
  ])("cover the time zone's hours: %s", (_, at, until) => {
    expect(quietUntil(at, night, "Europe/Berlin")).toBe(until);
  });

  it("end after an hour that the clocks skip, and begin again in one that they repeat", () => {
    expect(quietUntil("2026-03-29T00:50:00.000Z", { from: "01:00", to: "02:30" }, "Europe/Berlin")).toBe(
      "2026-03-29T01:00:00.000Z",
    );
    const hours = { from: "01:00", to: "02:30" };
    expect(quietUntil("2026-10-25T00:10:00.000Z", hours, "Europe/Berlin")).toBe("2026-10-25T00:30:00.000Z");
    expect(quietUntil("2026-10-25T01:10:00.000Z", hours, "Europe/Berlin")).toBe("2026-10-25T01:30:00.000Z");
  });

  it("cover nothing if the person has none, or if both times are equal", () => {
    expect(quietUntil("2026-01-10T23:00:00.000Z", null, "UTC")).toBe(null);
    expect(quietUntil("2026-01-10T23:00:00.000Z", { from: "23:00", to: "23:00" }, "UTC")).toBe(null);
  });

  it("accept only zones of the IANA database", () => {
    expect(["Europe/Berlin", "UTC", "Asia/Kolkata"].map(isTimeZone)).toEqual([true, true, true]);
    expect(["Nowhere/City", "", "+02:00", "Berlin\n"].map(isTimeZone)).toEqual([false, false, false, false]);
  });
});

describe("the digest", () => {
  const settings = {
    ...defaultNotices,
    channels: { ...defaultNotices.channels, email: { kinds: ["digest" as const], graceSec: 60 } },
    timeZone: "America/New_York",
  };

  it("is due once a day from its local time on, also where the clocks change", () => {
    expect(digestDay(settings, "2026-03-07", "2026-03-08T11:59:00.000Z")).toBe(null);
    expect(digestDay(settings, "2026-03-07", "2026-03-08T12:00:00.000Z")).toBe("2026-03-08");
    expect(digestDay(settings, "2026-03-08", "2026-03-08T20:00:00.000Z")).toBe(null);
    expect(nextDigestAt(settings, "2026-03-07", "2026-03-07T20:00:00.000Z")).toBe("2026-03-08T12:00:00.000Z");
  });

  it("is never due for people who don't want it", () => {
    expect(digestDay(defaultNotices, null, "2026-03-08T12:00:00.000Z")).toBe(null);
    expect(nextDigestAt(defaultNotices, null, "2026-03-08T12:00:00.000Z")).toBe(null);
  });
});
