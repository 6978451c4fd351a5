import { openAsBlob } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { counted } from '@medloom/contracts'
import type { AddCommand } from '../../command.js'
import { UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { print } from '../../terminal/print.js'
import { fromCurrentFolder, terminal } from '../../terminal/terminal.js'

export const addFilesUpload: AddCommand = (parent) =>
  parent
    .add('upload')
    .description(
      'upload files or folders to the service; repeat the command to continue an interrupted upload',
    )
    .argument('<path...>', 'files or folders of this machine; hidden files are skipped')
    .requiredOption('--folder <name>', 'folder in the upload folder of the service')
    .example('medloom files upload study.csv --folder study', 'medloom files upload study --folder study')
    .action(async (paths: string[], _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const files = (await Promise.all(paths.map((path) => filesOf(fromCurrentFolder(path))))).flat()
      if (files.length === 0)
        throw new UsageError(
          'There are no files to upload.',
          'Choose a file, or a folder that contains files.',
        )
      let folder = ''
      for (const { file, place } of files) {
        const content = await openAsBlob(file)
        folder = (await client.uploadFile(content, { folder: options.folder, path: place })).folder
        if (!options.json && terminal().stderr.isTTY) terminal().stderr.write(`${place}\n`)
      }
      print(
        options,
        { folder, files: files.map(({ place }) => place) },
        (sent) => `${counted(sent.files.length, 'file')} uploaded to ${sent.folder}`,
      )
    })

interface LocalFile {
  readonly file: string
  /** Path within the folder of the upload. */
  readonly place: string
}

/** The file itself, or all files of a folder, with paths that do not include its own name. */
async function filesOf(path: string): Promise<LocalFile[]> {
  if (!(await stat(path)).isDirectory()) return [{ file: path, place: basename(path) }]
  const found: LocalFile[] = []
  const entries = await readdir(path, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue
    const inside = join(path, entry.name)
    if (entry.isFile()) found.push({ file: inside, place: entry.name })
    else if (entry.isDirectory())
      found.push(
        ...(await filesOf(inside)).map(({ file, place }) => ({ file, place: `${entry.name}/${place}` })),
      )
  }
  return found
}
