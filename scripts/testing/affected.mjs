// Files affected by a change, from a graph of imports: { file: [files that it imports] }.

/** The changed files and every file that imports one of them, directly or through others. */
export function affectedBy(graph, changed) {
  const importers = reversed(graph)
  const affected = new Set(changed)
  // Iteration includes items that are added to the set meanwhile.
  for (const file of affected) for (const importer of importers.get(file) ?? []) affected.add(importer)
  return affected
}

function reversed(graph) {
  const importers = new Map()
  for (const [file, imports] of Object.entries(graph))
    for (const imported of imports) {
      if (!importers.has(imported)) importers.set(imported, [])
      importers.get(imported).push(file)
    }
  return importers
}
