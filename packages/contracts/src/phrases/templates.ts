/** Questions and notes of the templates of published datasets; `<question>_1` and so on are their answers. */
export const TEMPLATE_QUESTIONS = {
  // ADNI (table ADNIMERGE)
  adni_scores:
    'CDRSB, MMSE and LDELTOTAL are criteria of the diagnosis, so they are not inputs. Other tests of memory and function (ADAS, RAVLT, FAQ, Ecog) are closely related: are they known when the model is used?',
  adni_rows: 'A case is a participant at the baseline visit. Visits without a diagnosis are excluded.',
  adni_images: 'ADNIMERGE does not name image files. Add data.recipe.images for downloaded images.',
  // Brain Imaging Data Structure (BIDS)
  bids_label: 'Which column of participants.tsv or of the sessions is the label, such as group or diagnosis?',
  bids_files:
    'A case is a T1w image; each run and each session is a row of its participant. For another contrast, change T1w in the pattern.',
  // BreakHis
  breakhis_label: 'Is the label benign against malignant, or one of eight tumor types?',
  breakhis_label_1: 'Benign or malignant',
  breakhis_label_2: 'Eight tumor types',
  breakhis_files:
    'Each tissue was photographed at 40X, 100X, 200X and 400X, and all of them are read. For one magnification, write it in the pattern instead of the placeholder magnification, and remove magnification from data.ignore_columns.',
  // Breast Ultrasound Images (BUSI)
  busi_label: 'Is the label one of three classes, or malignant against the others?',
  busi_label_1: 'Benign, malignant or normal',
  busi_label_2: 'Malignant or not',
  busi_patient:
    'Patients are not published (780 images of 600 patients), so images of a patient may be in two splits.',
  // cBioPortal (METABRIC, TCGA and others)
  cbioportal_treatments:
    'Treatments (CHEMOTHERAPY, HORMONE_THERAPY, RADIO_THERAPY, RADIATION_THERAPY) were chosen after the diagnosis. Ignore them if they are not known when the model is used.',
  cbioportal_rows:
    'A case is a patient, with the first sample of that patient. Patients without a follow-up time above 0 or without a status are excluded.',
  // CBIS-DDSM
  cbis_ddsm_files:
    'The recipe reads the masses. The tables of calcifications (calc_case_description_train_set.csv) have their own columns, and some of their images also show masses: train on them separately, with calc instead of mass in path and with data.ignore_columns for calc type and calc distribution.',
  cbis_ddsm_descriptors:
    'The descriptors of radiologists (mass shape, margins, assessment, subtlety) are not inputs, because they already judge the finding. Remove them from the list if they are known when the model is used.',
  // CheXpert
  chexpert_uncertain:
    'What does an uncertain finding (-1) mean? A blank cell (not mentioned) is negative, as in the publication.',
  chexpert_uncertain_1: 'Missing (U-Ignore)',
  chexpert_uncertain_2: 'Positive (U-Ones)',
  chexpert_uncertain_3: 'Negative (U-Zeros)',
  chexpert_uncertain_4: 'Leave the image out',
  chexpert_label:
    'The label has the five findings of the CheXpert competition. Change findings for others; for a single one, list it alone.',
  chexpert_rows: 'Is a case an image, or a study with one frontal image?',
  chexpert_rows_1: 'An image',
  chexpert_rows_2: 'A study, with its first frontal image',
  // HAM10000
  ham10000_label:
    'Is the label one of seven diagnoses, or malignant against benign? akiec contains actinic keratoses and intraepithelial carcinoma.',
  ham10000_label_1: 'Seven diagnoses',
  ham10000_label_2: 'Malignant (mel, bcc, akiec) or benign',
  ham10000_patient:
    'Patients are not published. Images are grouped by lesion, so two lesions of a patient may be in two splits.',
  // ISIC 2019
  isic_2019_label:
    'Is the label one of eight diagnoses, or malignant against benign? Actinic keratosis (AK) is a precursor of carcinoma.',
  isic_2019_label_1: 'Eight diagnoses',
  isic_2019_label_2: 'Malignant (MEL, BCC, SCC) or benign, with AK benign',
  isic_2019_patient:
    'Patients are not published, and some images have no lesion. These images count as lesions of their own.',
  // ISIC 2020 (SIIM-ISIC)
  isic_2020_files:
    'ISIC_2020_Training_Duplicates.csv lists pairs of identical images, some of which have two patients. The inspection reports them; remove one image of each pair.',
  // MedMNIST
  medmnist_patient: 'Patients are not part of MedMNIST, so its splits are used as they are.',
  medmnist_label:
    'The columns label_0 to label_13 of ChestMNIST are the findings of NIH ChestX-ray14: atelectasis, cardiomegaly, effusion, infiltration, mass, nodule, pneumonia, pneumothorax, consolidation, edema, emphysema, fibrosis, pleural thickening, hernia.',
  medmnist_files: 'Only one archive per folder is read; the 3D datasets are not recognized.',
  // MIMIC-CXR and MIMIC-CXR-JPG
  mimic_cxr_uncertain:
    'What does an uncertain finding (-1) mean? A blank cell (not mentioned) is negative, as in the publication.',
  mimic_cxr_uncertain_1: 'Missing (U-Ignore)',
  mimic_cxr_uncertain_2: 'Positive (U-Ones)',
  mimic_cxr_uncertain_3: 'Negative (U-Zeros)',
  mimic_cxr_uncertain_4: 'Leave the image out',
  mimic_cxr_label:
    'The label has the five findings of the CheXpert competition. Change findings for others; for a single one, list it alone.',
  mimic_cxr_rows: 'Is a case an image, or a study with one frontal image?',
  mimic_cxr_rows_1: 'An image',
  mimic_cxr_rows_2: 'A study, with its first frontal image (PA or AP)',
  // NIH ChestX-ray14
  nih_chest_xray14_label:
    'The label has all 14 findings. To classify one of them, list it alone in findings and the others in none.',
  // NSCLC-Radiomics (Lung1) of The Cancer Imaging Archive
  nsclc_radiomics_window:
    'Which window of Hounsfield units does the model read? For soft tissue, use center 40 and width 400.',
  // OASIS-1 (cross-sectional)
  oasis_1_label:
    'Most participants below 60 years have no CDR and are excluded. Do they count as without dementia instead?',
  oasis_1_label_1: 'Exclude participants without a CDR',
  oasis_1_label_2: 'Without a CDR, no dementia',
  oasis_1_images:
    'The images are Analyze files (.hdr, .img), which Medloom does not read. Convert them to NIfTI, and add data.recipe.images.',
  // OASIS-2 (longitudinal)
  oasis_2_label:
    'Converted participants were without dementia at the first visit and had it later. Are they a class of their own?',
  oasis_2_label_1: 'Three groups',
  oasis_2_label_2: 'Dementia at any visit, yes or no',
  oasis_2_scores:
    'The group follows from CDR, so CDR is not an input. MMSE is closely related: is it known when the model is used?',
  // REDCap export
  redcap_label: 'Which field is the label?',
  redcap_rows:
    'In a longitudinal project, which event has the label and the inputs? In data.recipe.rows, set case to [record_id], visit.column to redcap_event_name, visit.values to its name and rule to first. Fields of other events are then empty.',
  redcap_missing:
    'Exports contain codes (1, 2) or labels (Male, Female). List codes for missing values, such as -9 or 99.',
  // RSNA Pneumonia Detection Challenge
  rsna_pneumonia_label:
    'Is the label opacity or not, or one of the three classes of stage_2_detailed_class_info.csv?',
  rsna_pneumonia_label_1: 'Pneumonia, yes or no',
  rsna_pneumonia_label_2: 'Three classes',
  rsna_pneumonia_patient:
    'patientId names an image. The images are a part of NIH ChestX-ray14; stage_2 does not contain their patients, so images of a patient may be in two splits.',
  // Collection of The Cancer Imaging Archive (TCIA)
  tcia_join:
    'Which clinical table has the label? Add it to files, and join its patient column with Subject ID (keep: matched). Then set data.recipe.label.',
  tcia_rows:
    'A case is a series with images; segmentations, structures, doses and reports are excluded. Select the modality and the series that the model reads.',
  // UK Biobank
  uk_biobank_label: 'Which field is the label?',
  uk_biobank_missing:
    'In common fields, -1 (do not know) and -3 (prefer not to answer) mean a missing value; in fields of hours and portions, so does -10 (less than one). Add other fields with such codes.',
  uk_biobank_visits:
    'Columns of later visits (-1.0, -2.0, -3.0, or _i1 to _i3) are known only years after the first one. Ignore those that the model must not read, and remove participants who have withdrawn.',
  uk_biobank_files: 'The first table that matches is read. If there are several, name the table to be read.',
} as const
