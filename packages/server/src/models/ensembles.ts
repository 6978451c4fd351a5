import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import {
  after,
  atPlace,
  type Ensemble,
  type EnsembleRequest,
  foldInWords,
  type Job,
  MAX_ENSEMBLE_MEMBERS,
  type Model,
  messageOf,
  type Phrase,
  type Prepared,
  phrase,
  statusPhrase,
} from '@medloom/contracts'
import type { z } from 'zod'
import type { ServiceContext } from '../context.js'
import { AppError } from '../errors.js'
import type { TaskResult } from '../ports/task-pool.js'
import { createRunDirectory } from '../storage/run-directory.js'
import { isTrial, measuredTrainings, searchCells } from '../studies/search/trials.js'
import type { StudiesRepository } from '../studies/studies.repository.js'
import type { TrainingRecord } from '../studies/study-record.js'
import { type ComparedModel, nameOf } from './comparisons.js'
import { MIXED_FUSION } from './models.repository.js'
import type { TrainingPort } from './training-port.js'

export type EnsembleBody = z.output<typeof EnsembleRequest>

/** Models that are to be combined, and their origin. */
export interface NamedMembers {
  readonly name: string
  readonly study_id: string | null
  readonly variant: string | null
  readonly members: readonly ComparedModel[]
}

export interface MemberSources {
  readonly studies: Pick<StudiesRepository, 'find'> & {
    readonly trainings: Pick<StudiesRepository['trainings'], 'list'>
  }
  job(jobId: string): Promise<Job>
  /** By id or alias, or by the folder of a checkpoint of a model. */
  model(name: string): Promise<ComparedModel>
}

/**
 * Find the trained models that a request names.
 * @throws AppError STUDY_NOT_FOUND, STUDY_RUNNING, JOB_NOT_FOUND, MODEL_NOT_FOUND, MEMBER_NOT_TRAINED, INVALID_REQUEST (a variant that the
 * study does not have, fewer than two members, one model twice), or the error of a checkpoint.
 */
export async function findMembers(body: EnsembleBody, sources: MemberSources): Promise<NamedMembers> {
  const { study_id, variant = null, job_ids = [], models = [], name } = body
  const members: ComparedModel[] = []
  if (study_id !== undefined) {
    const { study, trainings } = await trainingsOf(study_id, variant, sources)
    for (const { job_id } of trainings) members.push(await ofJob(job_id ?? '', 'study_id', sources))
    return { name: name ?? `ensemble of ${study}`, study_id, variant, members }
  }
  for (const [index, id] of job_ids.entries()) members.push(await ofJob(id, `job_ids.${index}`, sources))
  for (const model of models) members.push(await sources.model(model))
  refuseTwins(members, job_ids.length > 0 ? 'job_ids' : 'models')
  return { name: name ?? 'ensemble', study_id: null, variant: null, members }
}

/**
 * Write the checkpoint of the ensemble into a separate run directory and register it as a model. If it is refused, the written files are
 * removed.
 * @returns the id of the model. @throws AppError MEMBERS_DIFFER, or the error of a checkpoint.
 */
export async function combineModels(
  named: NamedMembers,
  context: Pick<ServiceContext, 'folder' | 'pool' | 'roots'>,
  training: TrainingPort,
  { owner, signal }: { readonly owner: string | null; readonly signal: AbortSignal },
): Promise<string> {
  const created_at = new Date().toISOString()
  const job_id = randomUUID()
  const run = context.folder.run(job_id)
  const jobs = await Promise.all(named.members.map(({ model }) => training.job(model.job_id)))
  const [first] = jobs
  if (!first?.prepared) throw new Error('a job with a model has prepared its data')
  const { prepared } = first
  // The fold that the first member held out does not apply to the ensemble.
  const config = { ...first.config, data: { ...first.config.data, fold: null } }
  await createRunDirectory(run, config)
  try {
    const found = await context.pool.run(
      'ensemble',
      {
        members: named.members.map((member) => ({ name: nameOf(member), checkpoint: member.checkpoint })),
        job_id,
        job_name: named.name,
        run_dir: run.path,
        data_dir: context.folder.path,
        roots: [...context.roots.folders],
      },
      { signal },
    )
    const facts = preparedOf(prepared, found)
    const record = { job_id, job_name: named.name, config, owner, created_at }
    return await training.keepEnsemble(
      {
        ...record,
        prepared: facts,
        ensemble: ensembleOf(named, found),
        checkpoint_path: run.checkpoint('best'),
      },
      {
        architecture: 'ensemble',
        fusion_type: commonFusion(named.members.map(({ model }) => model)),
        metrics: { val_accuracy: null, val_auc: null },
        task: found.task,
        classes: found.classes,
        parameters: found.parameters,
        data_digests: found.data_digests,
        fine_tuned_from: null,
      },
    )
  } catch (error) {
    await rm(run.path, { recursive: true, force: true })
    throw error
  }
}

async function trainingsOf(
  studyId: string,
  variant: string | null,
  { studies }: MemberSources,
): Promise<{ study: string; trainings: TrainingRecord[] }> {
  const study = await studies.find(studyId)
  if (!study) throw new AppError('STUDY_NOT_FOUND', atPlace('study_id', phrase('study_unknown')))
  if (study.status === 'running')
    throw new AppError(
      'STUDY_RUNNING',
      atPlace('study_id', phrase('study_is_running')),
      phrase('wait_or_stop'),
    )
  const all = await studies.trainings.list(studyId)
  const named = variant === null ? all : all.filter((one) => one.variant === variant)
  if (named.length === 0) {
    const names = [...new Set(all.map((one) => one.variant))].join(', ')
    throw refused('variant', phrase('variant_unknown', { variant: variant ?? '', names }))
  }
  // For a search, the trials that it chose, as in the results of the study.
  const measured = new Set(measuredTrainings(study.config, all).map(({ position }) => position))
  const trainings = named.filter((one) => !isTrial(one) || measured.has(one.position))
  const missing = trainings.filter(({ position }) => !measured.has(position))
  const searched = variant === null || variant === study.config.search?.name
  const unchosen = searched
    ? searchCells(study.config, all).filter(({ ended, best }) => !(ended && best))
    : []
  if (unchosen.length > 0)
    throw new AppError(
      'MEMBER_NOT_TRAINED',
      atPlace('study_id', phrase('search_without_trial', { count: unchosen.length })),
    )
  if (missing.length > 0)
    throw new AppError(
      'MEMBER_NOT_TRAINED',
      atPlace(
        'study_id',
        phrase('trainings_not_completed', {
          missing: missing.length,
          count: trainings.length,
          trainings: missing.slice(0, 3).flatMap(inWords),
        }),
      ),
    )
  if (trainings.length < 2) throw refused('study_id', phrase('one_training_for_ensemble'))
  if (trainings.length > MAX_ENSEMBLE_MEMBERS)
    throw refused(
      variant === null ? 'study_id' : 'variant',
      phrase('too_many_members', { number: trainings.length, limit: MAX_ENSEMBLE_MEMBERS }),
    )
  return { study: variant === null ? study.name : `${study.name}/${variant}`, trainings }
}

function inWords({ variant, seed, fold, status }: TrainingRecord, index: number): Phrase[] {
  const name = phrase('name', { name: variant })
  return [
    index === 0 ? name : after('semicolon', name),
    phrase('seed_of_training', { seed: String(seed) }),
    ...(fold ? [phrase('name', { name: foldInWords(fold) })] : []),
    after('colon', phrase('name', { name: status })),
  ]
}

async function ofJob(jobId: string, place: string, sources: MemberSources): Promise<ComparedModel> {
  const job = await sources.job(jobId).catch((error) => {
    throw error instanceof AppError ? new AppError(error.code, atPlace(place, error.text)) : error
  })
  if (job.model_id !== null) return sources.model(job.model_id)
  const why =
    job.status === 'completed'
      ? phrase('its_model_was_removed')
      : phrase('it_is', { status: statusPhrase(job.status) })
  throw new AppError(
    'MEMBER_NOT_TRAINED',
    atPlace(place, [phrase('job_without_model', { job: jobId }), after('colon', why)]),
  )
}

/** A request can name a job and also its model, or a model and also its alias. */
function refuseTwins(members: readonly ComparedModel[], place: string): void {
  const paths = members.map(({ checkpoint }) => checkpoint)
  const twin = members.find(({ checkpoint }, index) => paths.indexOf(checkpoint) < index)
  if (twin) throw refused(place, phrase('model_listed_twice', { name: nameOf(twin) }))
}

function refused(path: string, message: Phrase): AppError {
  return new AppError('INVALID_REQUEST', atPlace(path, message), undefined, [
    { path, code: 'INVALID_VALUE', ...messageOf(message) },
  ])
}

/** Inferred column information comes from the first member; its splits, counts and warnings belong to one training only. */
function preparedOf(
  {
    missing: _missing,
    members: _members,
    member_validation: _validation,
    linear_share: _share,
    ...first
  }: Prepared,
  { parameters, data_digests }: TaskResult<'ensemble'>,
): Prepared {
  return { ...first, splits: {}, warnings: [], parameters, trainable_parameters: 0, data_digests }
}

function ensembleOf(named: NamedMembers, found: TaskResult<'ensemble'>): Ensemble {
  const folds = new Set(found.members.map(({ fold }) => JSON.stringify(fold)))
  return {
    study_id: named.study_id,
    variant: named.variant,
    members: found.members.map((member, index) => ({
      ...member,
      model_id: named.members[index]?.model.model_id ?? '',
    })),
    trained_on_every_fold: folds.size > 1,
    cases_known: found.cases_known,
    fitted_on_validation: found.fitted_on_validation,
  }
}

function commonFusion(models: readonly Model[]): string {
  const kinds = new Set(models.map(({ fusion_type }) => fusion_type))
  return kinds.size === 1 ? ([...kinds][0] ?? MIXED_FUSION) : MIXED_FUSION
}
