/** How long a service counts as alive without renewing its lease, unless its operator has set another time. */
export const usualLeaseSec = 15;

/** Programs of a lost run get this long between the polite and the hard end. */
export const leftoverGraceSec = 2;

/** How long it takes at most to kill what a lost run left behind and to store the run's end. */
const clearAwaySec = 3;

/** What follows from the time of a lease. */
export interface LeaseTimes {
  readonly leaseSec: number;
  /** Between two renewals, and between two comparisons of the tables with the processes. */
  readonly truthSec: number;
  /** A run whose service is gone has ended after this time: the lease, the next comparison, the grace, and the rest. */
  readonly recoveryBoundSec: number;
}

export const leaseTimes = (leaseSec: number): LeaseTimes => {
  const truthSec = leaseSec / 3;
  return { leaseSec, truthSec, recoveryBoundSec: leaseSec + truthSec + leftoverGraceSec + clearAwaySec };
};
