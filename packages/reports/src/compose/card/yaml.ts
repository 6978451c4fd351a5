import { oneLine } from '../../document/escape.js'

type Value = string | number | readonly Value[] | { readonly [key: string]: Value }

/** Block YAML of plain data. Texts are double-quoted, in which JSON and YAML agree, so no text is read as markup. */
export function writeYaml(value: Value, indent = ''): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return JSON.stringify(oneLine(value))
  const inner = `${indent}  `
  if (isList(value))
    return value.map((item) => `\n${indent}- ${writeYaml(item, inner).replace(/^\n\s*/, '')}`).join('')
  return Object.entries(value)
    .map(([key, item]) => {
      const text = writeYaml(item, inner)
      return `\n${indent}${key}:${text.startsWith('\n') ? text : ` ${text}`}`
    })
    .join('')
}

function isList(value: readonly Value[] | { readonly [key: string]: Value }): value is readonly Value[] {
  return Array.isArray(value)
}
