import { describe, expect, it } from "vitest";
import {
  afterBackup,
  backupTrouble,
  failed,
  following,
  type GoodBackup,
  isDue,
  outdatedBackups,
  requested,
} from "../../core/model/backups/backup-schedule.ts";
import { judgeBackups } from "../../core/model/backups/without-backup.ts";
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

describe("A backup that a person asks for", () => {
  it("is due at once, also after a failure, and leaves the schedule as it is", () => {
    const asked = requested(failed(begun, "The disk is full.", at), at);
    expect(isDue(asked, false, at)).toBe(true);
    expect(isDue(asked, true, at)).toBe(false);
    const completed = afterBackup(asked, backup(addSeconds(at, 30)), 0, tick);
    expect(completed).toMatchObject({ requestedAt: null, dueAt: tick });
    expect(isDue(completed, false, addSeconds(at, 60))).toBe(false);
  });

  it("is taken once more where it was asked for after the last one began, and not again after it has failed", () => {
    const asked = requested(begun, addSeconds(at, 60));
    expect(isDue(afterBackup(asked, backup(at), 0, tick), false, addSeconds(at, 90))).toBe(true);
    const after = failed(asked, "The disk is full.", addSeconds(at, 90));
    expect(isDue(after, false, addSeconds(at, 700))).toBe(false);
    expect(after.retryAt).toBe(tick);
  });

  it("is overdue an hour after it was asked for", () => {
    const asked = requested(begun, at);
    expect(backupTrouble(asked, addSeconds(at, 3_600))).toBeNull();
    expect(backupTrouble(asked, addSeconds(at, 3_601))).toContain(`The backup due at ${at}`);
  });
});

describe("An installation without scheduled backups", () => {
  const plan = { schedule: null, to: null, isEncrypted: false, reminds: true };
  const after = (days: number) => addSeconds(at, days * 86_400);
  const never = { installedAt: at, last: null };

  it("has a problem after seven days without one by the command", () => {
    expect(judgeBackups(plan, null, never, addSeconds(after(7), -1))).toBeNull();
    expect(judgeBackups(plan, null, never, after(7))).toMatchObject({ kind: "no_backup", since: at });
    const manual = { installedAt: at, last: backup(after(5)) };
    expect(judgeBackups(plan, null, manual, after(11))).toBeNull();
    expect(judgeBackups(plan, null, manual, after(12))?.sentence).toContain("The last backup is 7 days old.");
  });

  it("counts those of a schedule that it had, and is not reminded where the operator says so", () => {
    const had = afterBackup(begun, backup(after(9)), 0, after(10));
    expect(judgeBackups(plan, had, never, after(15))).toBeNull();
    expect(judgeBackups(plan, had, never, after(16))).not.toBeNull();
    expect(judgeBackups({ ...plan, reminds: false }, had, never, after(99))).toBeNull();
  });

  it("is judged by its schedule where it has one", () => {
    const schedule = { cronExpression: "0 3 * * *", keep: { daily: 1, weekly: 0, monthly: 0 } };
    expect(judgeBackups({ ...plan, schedule }, null, never, after(99))).toBeNull();
    expect(judgeBackups({ ...plan, schedule }, begun, never, after(99))?.kind).toBe("failed_backup");
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
    let remaining: readonly GoodBackup[] = [];
    const all: GoodBackup[] = [];
    for (let day = 0; day < 400; day++) {
      const made = backup(addSeconds("2026-01-01T03:00:00.000Z", day * 86_400));
      all.unshift(made);
      remaining = [made, ...remaining];
      const gone = new Set(outdatedBackups(remaining, keep));
      remaining = remaining.filter((each) => !gone.has(each));
      expect(remaining.length).toBeLessThanOrEqual(17);
    }
    const gone = new Set(outdatedBackups(all, keep));
    expect(remaining).toEqual(all.filter((each) => !gone.has(each)));
  });
});
