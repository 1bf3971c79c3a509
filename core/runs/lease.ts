/** How long a service counts as alive without renewing. Renewed at a third of it. */
export const leaseSec = 15;
/** Between two looks at whether tables and processes agree. */
export const truthSec = leaseSec / 3;
/** Programs of a lost run get this long between the polite and the hard end. */
export const leftoverGraceSec = 2;
/** The lease, the next look, the grace, and time to kill and to write it down. */
export const recoveryBoundSec = leaseSec + truthSec + leftoverGraceSec + 3;
