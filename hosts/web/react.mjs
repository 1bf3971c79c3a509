// In place of React, whose interface it has at a tenth of the size: `use` reads contexts alone.
export * from "preact/compat";
export { useContext as use } from "preact/hooks";
