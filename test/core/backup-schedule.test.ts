import { describe, expect, it } from "vitest";
import {
  afterBackup,
  backupTrouble,
  failed,
  following,
  type GoodBackup,
  isDue,
  outdatedBackups,
} from "../../core/model/backups/backup-schedule.ts";
import type { ServiceId } from "../../core/model/shared/ids.ts";
import { addSeconds } from "../../core/model/shared/instant.ts";

const at = "2026-11-23T02:00:00.000Z";
const tick = "2026-11-23T03:00:00.000Z";
const next = () => tick;
const begun = following(null, "0 3 * * *", at, next);
const backup = (text: string): GoodBackup => ({ file: text, at: text, bytes: 1 });

describe("A schedule of backups", () => {
  it("is due from its tick on, unless another live service takes it", () => {
    expect(isDue(begun, false, at)).toBe(false);
    expect(isDue(begun, false, tick)).toBe(true);
    expect(isDue(begun, true, tick)).toBe(false);
  });

  it("is tried again ten minutes after a failure, and tells operators of it until one is good", () => {
    const after = failed(begun, "The disk is full.", tick);
    expect(isDue(after, false, addSeconds(tick, 599))).toBe(false);
    expect(isDue(after, false, addSeconds(tick, 600))).toBe(true);
    expect(backupTrouble(after, tick)).toBe(
      "The disk is full (backup of 2026-11-23T03:00:00.000Z). Next attempt at 2026-11-23T03:10:00.000Z.",
    );
    const good = afterBackup(after, backup(addSeconds(tick, 600)), 0, addSeconds(tick, 86_400));
    expect(backupTrouble(good, addSeconds(tick, 700))).toBeNull();
    expect(isDue(good, false, addSeconds(tick, 700))).toBe(false);
  });

  it("is overdue an hour after its tick", () => {
    expect(backupTrouble(begun, addSeconds(tick, 3_600))).toBeNull();
    expect(backupTrouble(begun, addSeconds(tick, 3_601))).toContain(
      "The backup due at 2026-11-23T03:00:00.000Z",
    );
  });

  it("is not overdue for a day while a service takes it: one of much data takes hours", () => {
    const taking = { ...begun, claimedBy: "service" as ServiceId };
    expect(backupTrouble(taking, addSeconds(tick, 86_400))).toBeNull();
    expect(backupTrouble(taking, addSeconds(tick, 86_401))).toContain("hasn't finished");
  });

  it("keeps a backup that lacks files, and says so", () => {
    const lacking = afterBackup(begun, backup(tick), 2, addSeconds(tick, 86_400));
    expect(lacking.kept).toHaveLength(1);
    expect(backupTrouble(lacking, tick)).toContain("missing 2 files");
  });

  it("that was changed begins anew, and keeps its backups", () => {
    const good = afterBackup(begun, backup(tick), 0, addSeconds(tick, 86_400));
    const changed = following(good, "0 5 * * *", tick, () => "2026-11-23T05:00:00.000Z");
    expect(changed).toMatchObject({ dueAt: "2026-11-23T05:00:00.000Z", kept: [{ file: tick }] });
    expect(following(good, "0 3 * * *", tick, next)).toBe(good);
  });
});

describe("Kept backups", () => {
  const keep = { daily: 7, weekly: 4, monthly: 6 };

  it("are the last of each of the last days, weeks and months that have one", () => {
    // Two a day through 400 days, the newest first.
    const all = Array.from({ length: 800 }, (_, n) =>
      backup(addSeconds("2026-11-23T15:00:00.000Z", -n * 43_200)),
    );
    const outdated = new Set(outdatedBackups(all, keep));
    expect(all.filter((each) => !outdated.has(each)).map((each) => each.at.slice(0, 13))).toEqual([
      ...[
        "2026-11-23T15",
        "2026-11-22T15",
        "2026-11-21T15",
        "2026-11-20T15",
        "2026-11-19T15",
        "2026-11-18T15",
      ],
      "2026-11-17T15",
      // Sundays, the last days of their weeks; of four weeks, two end within the days above.
      ...["2026-11-15T15", "2026-11-08T15"],
      ...["2026-10-31T15", "2026-09-30T15", "2026-08-31T15", "2026-07-31T15", "2026-06-30T15"],
    ]);
  });

  it("are never none, and removing outdated ones day by day keeps the same as removing them at once", () => {
    expect(outdatedBackups([backup(at)], { daily: 0, weekly: 0, monthly: 0 })).toEqual([]);
    let kept: readonly GoodBackup[] = [];
    const all: GoodBackup[] = [];
    for (let day = 0; day < 400; day++) {
      const made = backup(addSeconds("2026-01-01T03:00:00.000Z", day * 86_400));
      all.unshift(made);
      kept = [made, ...kept];
      const gone = new Set(outdatedBackups(kept, keep));
      kept = kept.filter((each) => !gone.has(each));
      expect(kept.length).toBeLessThanOrEqual(17);
    }
    const gone = new Set(outdatedBackups(all, keep));
    expect(kept).toEqual(all.filter((each) => !gone.has(each)));
  });
});
