/** Shell command for the same training. The file is passed on standard input, quoted so that the shell does not change it. */
export function trainCommand(yaml: string, name: string): string {
  const named = name.trim() === '' ? '' : ` --name ${quoted(name.trim())}`
  const end = endOf(yaml)
  return `medloom train --config -${named} --keep-paths <<'${end}'\n${yaml.trimEnd()}\n${end}\n`
}

function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** A delimiter line that does not occur in the text. */
function endOf(text: string): string {
  const lines = new Set(text.split('\n'))
  let end = 'END'
  while (lines.has(end)) end += '_'
  return end
}
