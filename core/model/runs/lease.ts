/** The default time for which a service counts as alive without renewing its lease. */
export const defaultLeaseSec = 15;

/** The time that programs of a lost run get between SIGTERM and SIGKILL. */
export const leftoverGraceSec = 2;

/** The maximum time to kill the processes of a lost run and to store its end. */
const clearAwaySec = 3;

/** The time beyond the lease for which the programs of a dead service may live, with the time to end them. */
export const outlivesSec = (handoverSec: number): number => handoverSec + leftoverGraceSec + clearAwaySec;

/** The intervals that depend on the lease. */
export interface LeaseTimes {
  readonly leaseSec: number;
  /** The interval of renewals, and of comparisons of the table with the processes. */
  readonly truthSec: number;
  /**
   * The maximum time until a run of a dead service has ended: the lease, two renewals of another service, the grace, and
   * the rest.
   */
  readonly recoveryBoundSec: number;
}

export const leaseTimes = (leaseSec: number): LeaseTimes => {
  const truthSec = leaseSec / 3;
  return { leaseSec, truthSec, recoveryBoundSec: leaseSec + 2 * truthSec + leftoverGraceSec + clearAwaySec };
};
