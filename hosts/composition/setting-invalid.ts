/** A setting is invalid; the message names it. */
export class SettingInvalid extends Error {}
