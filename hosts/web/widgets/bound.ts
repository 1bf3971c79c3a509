type NamesOf<Draft, Value> = {
  [Name in keyof Draft & string]: Draft[Name] extends Value ? Name : never;
}[keyof Draft & string];

/** The properties of the fields of a form whose draft has them under the names of the interface. */
export const boundTo = <Draft extends object>(draft: Draft, set: (change: Partial<Draft>) => void) => {
  const changed = (name: string, value: unknown) => set({ [name]: value } as Partial<Draft>);
  return {
    /** Of a text or a choice. */
    value: <Name extends NamesOf<Draft, string>>(name: Name) => ({
      name,
      value: draft[name],
      onChange: (value: Draft[Name]) => changed(name, value),
    }),
    /** Of a box that is checked or not. */
    checked: <Name extends NamesOf<Draft, boolean>>(name: Name) => ({
      name,
      checked: draft[name] as boolean,
      onChange: (isChecked: boolean) => changed(name, isChecked),
    }),
  };
};
