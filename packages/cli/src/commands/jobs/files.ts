import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Download } from '@medloom/client'
import type { JobFile } from '@medloom/contracts'
import { type AddCommand, wholeNumber } from '../../command.js'
import { connect } from '../../service/connection.js'
import { findJob } from '../../service/find-job.js'
import { listUpTo } from '../../service/pages.js'
import { age, bytes } from '../../terminal/format.js'
import { print } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'
import { fromCurrentFolder } from '../../terminal/terminal.js'
import { refuseExisting } from '../../workflow-files/write-new-file.js'

export const addJobFiles: AddCommand = (parent) =>
  parent
    .add('files')
    .description('list the reports, evaluations, exported models and other files of a job')
    .argument('<job>', 'job id')
    .option('--under <folder>', 'only files in this folder')
    .option('--checkpoints', 'include checkpoint files')
    .option('--limit <n>', 'list at most this many', wholeNumber, 200)
    .example('medloom jobs files latest', 'medloom jobs files 3be0 --under exports')
    .action(async (word: string, _, command) => {
      const options = command.optsWithGlobals()
      const client = connect(options)
      const job_id = await findJob(client, word)
      const request = {
        job_id,
        ...(options.under ? { under: options.under } : {}),
        ...(options.checkpoints ? { checkpoints: 'true' as const } : {}),
      }
      const page = await listUpTo(options.limit, 'files', (query) =>
        client.listJobFiles({ ...query, ...request }),
      )
      print(options, page, ({ files, next_page_token }) =>
        files.length === 0
          ? 'No matching files.'
          : fileTable(files) + (next_page_token ? '\nThere are more; use --limit.' : ''),
      )
    })

function fileTable(files: readonly JobFile[]): string {
  const rows = files.map(({ path, size_bytes, changed_at }) => [path, bytes(size_bytes), age(changed_at)])
  return formatTable(['file', 'size', 'changed'], rows)
}

export const addJobDownload: AddCommand = (parent) =>
  parent
    .add('download')
    .description('save a file of a job on this machine')
    .argument('<job>', 'job id')
    .argument('<file>', 'path as listed by "jobs files"')
    .option('-o, --output <file>', 'file to write (default: the same name in the current folder)')
    .option('--checkpoints', 'allow a file of a checkpoint')
    .example(
      'medloom jobs download latest reports/report.html',
      'medloom jobs download 3be0 exports/resnet18_gated_001.onnx --output model.onnx',
    )
    .action(async (word: string, path: string, _, command) => {
      const options = command.optsWithGlobals()
      const file = options.output ?? basename(path)
      refuseExisting(file)
      const client = connect(options)
      const job_id = await findJob(client, word)
      const checkpoints = options.checkpoints ? ('true' as const) : ('false' as const)
      const size_bytes = await save(
        await client.download('getJobFile', { job_id, path, checkpoints }),
        fromCurrentFolder(file),
      )
      print(options, { file, size_bytes }, () => `${file}, ${bytes(size_bytes)}`)
    })

/** An existing file is not replaced, and an incomplete download is removed. */
export async function save({ pieces, sizeBytes }: Download, file: string): Promise<number> {
  const target = createWriteStream(file, { flags: 'wx' })
  try {
    await pipeline(pieces, target)
    if (sizeBytes !== null && target.bytesWritten !== sizeBytes)
      throw new Error(`only ${target.bytesWritten} of ${sizeBytes} bytes arrived`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(file, { force: true })
    throw error
  }
  return target.bytesWritten
}
