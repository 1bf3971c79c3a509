import postgres from "postgres";
import { eventually } from "./eventually.ts";
import type { TestService } from "./service.ts";

/**
 * Waits until a service process has checked twice that it still owns its runs: each check renews its lease. The second
 * renewal begins after the first check has ended.
 */
export const twoChecksOf = async ({ databaseUrl }: TestService, pid: number): Promise<void> => {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const seen = new Set<string>();
  try {
    await eventually(
      async () => {
        const [service] = await sql`select lease_until::text as lease from services where pid = ${pid}`;
        return seen.add(String(service?.lease)).size;
      },
      (leases) => leases > 3,
    );
  } finally {
    await sql.end();
  }
};
