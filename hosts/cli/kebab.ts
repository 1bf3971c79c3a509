/** Turns `expectedStatuses` into the form that people type: `expected-statuses`. */
export const kebab = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
