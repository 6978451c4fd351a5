import type { Job } from '@medloom/contracts'
import { type AddCommand, collect } from '../../command.js'
import { UsageError } from '../../exit-codes.js'
import { connect } from '../../service/connection.js'
import { findJob } from '../../service/find-job.js'
import { shortId } from '../../terminal/format.js'
import { print, printJsonLine, printLine } from '../../terminal/print.js'
import { formatTable } from '../../terminal/table.js'

interface EditOptions {
  name?: string
  tag?: string[]
  untag?: string[]
  note?: string
  pin?: boolean
  archive?: boolean
  json?: boolean
}

export const addJobEdit: AddCommand = (parent, _context, name = 'edit') =>
  parent
    .add(name)
    .description('change the name, tags or note of jobs, or pin or archive them')
    .argument('<job...>', 'job ids')
    .option('-n, --name <name>', 'new name')
    .option('-t, --tag <tag>', 'add a tag; repeatable', collect)
    .option('--untag <tag>', 'remove a tag; repeatable', collect)
    .option('--note <text>', 'replace the note; "" removes it')
    .option('--pin', 'pin the job')
    .option('--no-pin', 'unpin the job')
    .option('--archive', 'archive the job: lists do not show it')
    .option('--no-archive', 'unarchive the job')
    .example(
      'medloom jobs edit latest --tag baseline --note "lower learning rate"',
      'medloom jobs edit 3be0 68e6 --archive',
    )
    .action(async (words: string[], _, command) => {
      const options = command.optsWithGlobals() as EditOptions & { url?: string }
      if (Object.keys(editOf(options, [])).length === 0)
        throw new UsageError('There is nothing to change.', 'Give --name, --tag, --note, --pin or --archive.')
      const client = connect(options)
      for (const word of words) {
        const job_id = await findJob(client, word)
        const retagged = options.tag !== undefined || options.untag !== undefined
        const before = retagged ? (await client.getJobStatus({ job_id })).tags : []
        const job = await client.editJob({ job_id, ...editOf(options, before) })
        if (options.json) printJsonLine(job)
        else printLine(`changed ${shortId(job_id)} (${[job.job_name, ...markOf(job)].join(', ')})`)
      }
    })

export const addJobTags: AddCommand = (parent, _context, name = 'tags') =>
  parent
    .add(name)
    .description('list the tags in use, most frequent first')
    .example('medloom jobs tags')
    .action(async (_, command) => {
      const options = command.optsWithGlobals()
      print(options, await connect(options).listJobTags(), ({ tags }) =>
        tags.length === 0
          ? 'No job has a tag. Add one: medloom jobs edit latest --tag baseline'
          : formatTable(
              ['tag', 'jobs'],
              tags.map(({ tag, jobs }) => [tag, String(jobs)]),
            ),
      )
    })

function editOf({ name, tag, untag, note, pin, archive }: EditOptions, before: readonly string[]) {
  const taken = new Set(untag?.map((word) => word.trim().toLowerCase()))
  return {
    ...(name === undefined ? {} : { job_name: name }),
    ...(tag || untag ? { tags: [...before.filter((one) => !taken.has(one)), ...(tag ?? [])] } : {}),
    ...(note === undefined ? {} : { note }),
    ...(pin === undefined ? {} : { pinned: pin }),
    ...(archive === undefined ? {} : { archived: archive }),
  }
}

/** Labels of a job for lists and pages. */
export function markOf({ tags, pinned, archived }: Pick<Job, 'tags' | 'pinned' | 'archived'>): string[] {
  return [...tags.map((tag) => `#${tag}`), ...(pinned ? ['pinned'] : []), ...(archived ? ['archived'] : [])]
}
