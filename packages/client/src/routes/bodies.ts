// Generated from the OpenAPI document by `npm run docs -- write`.

/** The member’s coverage. Recommended: FHIR R4 Coverage with the CARIN for Blue Button profile C4BB Coverage, with one flat object per element. */
export interface Coverage {
  /** Locator of the coverage. FHIR `Coverage.identifier`. */
  readonly locator?: string;
  /** Status of the coverage. FHIR `Coverage.status`, value set fm-status. */
  readonly status?: 'active' | 'cancelled' | 'draft' | 'entered-in-error' | (string & {});
  /** The plan. FHIR `Coverage.class` of type `plan`. */
  readonly plan?: {
    /** Code of the plan. FHIR `Coverage.class.value`. */
    readonly code?: string;
    /** Name of the plan. FHIR `Coverage.class.name`. */
    readonly name?: string;
    /** Type of the plan. FHIR `Coverage.type`. */
    readonly type?: string;
  };
  /** The member’s id. FHIR `Coverage.subscriberId` and `Coverage.dependent`; printed on the ID card. */
  readonly memberId?: string;
  /** The group. FHIR `Coverage.class` of type `group`. */
  readonly group?: {
    /** Number of the group. FHIR `Coverage.class.value`. */
    readonly number?: string;
    /** Name of the group. FHIR `Coverage.class.name`; usually the employer. */
    readonly name?: string;
  };
  /** First day of the coverage. FHIR `Coverage.period.start`. */
  readonly effectiveDate?: string;
  /** Last day of the coverage. FHIR `Coverage.period.end`; null if no end date is known. */
  readonly terminationDate?: string | null;
  /** The network of the plan. FHIR `Coverage.network`: the providers under contract with the plan. */
  readonly network?: {
    /** The insurer’s code. */
    readonly code?: string;
    /** Name of the network. */
    readonly name?: string;
  };
  /** Coverage tier: who is enrolled. */
  readonly tier?: string;
  /** The subscriber. FHIR `Coverage.subscriber`. */
  readonly subscriber?: {
    /** Name, as printed on the ID card. */
    readonly name?: string;
    /** Relationship to the subscriber. FHIR `Coverage.relationship`, value set subscriber-relationship. */
    readonly relationship?: 'child' | 'parent' | 'spouse' | 'common' | 'other' | 'self' | 'injured' | (string & {});
  };
  /** The dependents on the policy. */
  readonly dependents?: readonly {
    /** Name, as printed on the ID card. */
    readonly name?: string;
    /** Relationship to the subscriber. FHIR `Coverage.relationship`, value set subscriber-relationship. */
    readonly relationship?: 'child' | 'parent' | 'spouse' | 'common' | 'other' | 'self' | 'injured' | (string & {});
    /** Date of birth. FHIR `Patient.birthDate`. */
    readonly dateOfBirth?: string;
    /** First day of the dependent’s coverage. FHIR `Coverage.period.start`. */
    readonly effectiveDate?: string;
  }[];
  /** ISO 4217 code of the currency of all amounts in this object. FHIR: `Money.currency`. */
  readonly currency?: string;
  /** Copayments per kind of service. */
  readonly copays?: readonly {
    /** The kind of service. FHIR `costToBeneficiary.type`. */
    readonly service?: string;
    /** Amount of the copayment. FHIR `costToBeneficiary.valueMoney`. */
    readonly amount?: number;
  }[];
  /** The member’s share once the deductible is met. */
  readonly coinsurance?: {
    /** For providers in the plan’s network. */
    readonly inNetwork?: {
      /** Percentage, 0 to 100. */
      readonly memberPercent?: number;
    };
    /** For providers outside the plan’s network. */
    readonly outOfNetwork?: {
      /** Percentage, 0 to 100. */
      readonly memberPercent?: number;
    };
  };
  /** Identifiers for pharmacy claims. FHIR `Coverage.class` of types `rxbin`, `rxpcn`, `rxgroup`. */
  readonly pharmacy?: {
    /** NCPDP processor id. */
    readonly bin?: string;
    /** Processor control number. */
    readonly pcn?: string;
    /** Pharmacy group. */
    readonly group?: string;
  };
}

/** The amounts used of the plan’s limits. Recommended: FHIR R4 `ExplanationOfBenefit.benefitBalance`, one per limit, tier and network. */
export interface Accumulators {
  /** ISO 4217 code of the currency of all amounts in this object. FHIR: `Money.currency`. */
  readonly currency?: string;
  /** The benefit period. FHIR `ExplanationOfBenefit.benefitPeriod`; both dates are inclusive. */
  readonly benefitPeriod?: {
    /** The first day. */
    readonly start?: string;
    /** The last day. */
    readonly end?: string;
  };
  /** Amount that the member pays before the plan starts to pay. */
  readonly deductible?: BalancesByTier;
  /** Maximum amount that the member pays in the benefit period. */
  readonly outOfPocketMaximum?: BalancesByTier;
}

/** The balances of a limit by tier. FHIR: `benefitBalance.unit` is the tier and `benefitBalance.network` is the network. */
export interface BalancesByTier {
  /** The member’s own accumulators. */
  readonly individual?: BalancesByNetwork;
  /** The accumulators of all members on the policy. */
  readonly family?: BalancesByNetwork;
}

/** The balances for providers in the plan’s network, and outside of it. */
export interface BalancesByNetwork {
  readonly inNetwork?: Balance;
  readonly outOfNetwork?: Balance;
}

/** A limit of the plan and the amount used so far. FHIR `ExplanationOfBenefit.benefitBalance`. */
export interface Balance {
  /** The limit of the plan. FHIR `benefitBalance.financial.allowed[x]`. */
  readonly limit?: number;
  /** The amount used so far. FHIR `benefitBalance.financial.used[x]`. */
  readonly used?: number;
  /** `limit` minus `used`. */
  readonly remaining?: number;
}

/** The adjudication of a claim. It is part of each claim, and a document of type `eob` contains it as a PDF. Recommended: FHIR R4 ExplanationOfBenefit with the CARIN for Blue Button profiles. Amounts are null until the claim is adjudicated. */
export interface ExplanationOfBenefit {
  /** Date of the adjudication. FHIR `ExplanationOfBenefit.created`; null until the claim is adjudicated. */
  readonly adjudicatedDate?: string | null;
  /** ISO 4217 code of the currency of all amounts in this object. FHIR: `Money.currency`. */
  readonly currency?: string;
  /** Amount that the provider billed. Adjudication `submitted`. */
  readonly billedAmount?: number;
  /** Amount that the plan allows. Adjudication `eligible`. */
  readonly allowedAmount?: number | null;
  /** Amount that the plan pays. Adjudication `benefit`. */
  readonly planPaidAmount?: number | null;
  /** Amount that the member owes. C4BB Adjudication `memberliability`. */
  readonly memberResponsibilityAmount?: number | null;
  /** The lines of the claim. FHIR `ExplanationOfBenefit.item`. */
  readonly serviceLines?: readonly {
    /** Number of the line. FHIR `item.sequence`. */
    readonly lineNumber?: number;
    /** Procedure code. FHIR `item.productOrService`: CPT or HCPCS code, with an optional modifier after a hyphen. */
    readonly procedureCode?: string;
    /** Description of the service. */
    readonly description?: string;
    /** Date of the service. FHIR `item.serviced[x]`. */
    readonly serviceDate?: string;
    /** Number of units. FHIR `item.quantity`. */
    readonly units?: number;
    /** Amount that the provider billed. Adjudication `submitted`. */
    readonly billedAmount?: number;
    /** Amount that the plan allows. Adjudication `eligible`. */
    readonly allowedAmount?: number | null;
    /** Amount that the plan pays. Adjudication `benefit`. */
    readonly planPaidAmount?: number | null;
    /** Amount that the member owes. C4BB Adjudication `memberliability`. */
    readonly memberResponsibilityAmount?: number | null;
    /** Amount applied to the deductible. Adjudication `deductible`. */
    readonly deductibleAmount?: number | null;
    /** Copayment of the member. Adjudication `copay`. */
    readonly copayAmount?: number | null;
    /** Coinsurance of the member. C4BB Adjudication `coinsurance`. */
    readonly coinsuranceAmount?: number | null;
    /** The parts of the billed amount that the plan does not pay. */
    readonly adjustments?: readonly {
      /** Who is responsible for the amount. X12 claim adjustment group code, as in the 835 remittance (CAS01). */
      readonly groupCode?: 'CO' | 'OA' | 'PI' | 'PR' | (string & {});
      /** X12 claim adjustment reason code. C4BB `adjudication.reason`. */
      readonly reasonCode?: string;
      /** Description of the reason. */
      readonly description?: string;
      /** Amount that is not paid. */
      readonly amount?: number;
    }[];
  }[];
  /** The locator of the PDF under `/me/documents/{locator}`, or null if there is no PDF. */
  readonly eobDocumentLocator?: string | null;
}

/** A claim and its adjudication. Recommended: FHIR R4 Claim and ExplanationOfBenefit. Portico uses only `locator`, which identifies the claim in `/me/claims/{locator}`. */
export interface Claim extends ExplanationOfBenefit {
  /** Locator of the claim. FHIR `Claim.identifier`. */
  readonly locator?: string;
  /** Status of the claim. FHIR `ExplanationOfBenefit.outcome`: `received` and `in-review` correspond to `queued`, `paid` and `denied` to `complete`. */
  readonly status?: 'received' | 'in-review' | 'paid' | 'denied' | (string & {});
  /** Type of the claim. FHIR `Claim.type`, code system claim-type. */
  readonly type?: 'institutional' | 'oral' | 'pharmacy' | 'professional' | 'vision' | (string & {});
  /** The patient. FHIR `Claim.patient`. */
  readonly patient?: {
    /** Name of the patient, as on the claim. */
    readonly name?: string;
    /** Relationship to the subscriber. FHIR value set subscriber-relationship. */
    readonly relationship?: string;
  };
  /** The provider. FHIR `Claim.provider`. */
  readonly provider?: {
    /** Name of the provider. */
    readonly name?: string;
    /** US National Provider Identifier. */
    readonly npi?: string;
    /** Specialty of the provider. FHIR `PractitionerRole.specialty`. */
    readonly specialty?: string;
    /** C4BB Payer Adjudication Status `innetwork`, `outofnetwork`. */
    readonly network?: 'inNetwork' | 'outOfNetwork' | (string & {});
  };
  /** Period of the services. FHIR `Claim.billablePeriod`. */
  readonly serviceDates?: {
    /** First day. */
    readonly from?: string;
    /** Last day. */
    readonly to?: string;
  };
  /** Date on which the claims system received the claim. C4BB supporting info `clmrecvddate`. */
  readonly receivedDate?: string;
  /** Diagnoses. FHIR `Claim.diagnosis`, the principal one first. */
  readonly diagnosisCodes?: readonly string[];
}

/** The member’s claims, newest first. */
export interface ClaimList {
  /** The claims of the requested page. */
  readonly claims?: readonly Claim[];
}

/** The member’s documents. */
export interface DocumentList {
  /** The documents of the requested page. */
  readonly documents?: readonly DocumentSummary[];
}

/** The metadata of a document. Recommended: FHIR R4 DocumentReference. Portico uses only `locator`, which identifies the document in `/me/documents/{locator}`. */
export interface DocumentSummary {
  /** Locator of the document. FHIR `DocumentReference.identifier`. */
  readonly locator?: string;
  /** Type of the document. FHIR `DocumentReference.type`. */
  readonly type?: string;
  /** Title of the document. FHIR `DocumentReference.content.attachment.title`. */
  readonly title?: string;
  /** Date of the document. FHIR `DocumentReference.date`. */
  readonly date?: string;
  /** For an explanation of benefits, the locator of its claim. */
  readonly claimLocator?: string;
  /** Suggested file name. */
  readonly fileName?: string;
}

/** The member’s party details in policy administration. Recommended: FHIR R4 Patient and its data types. */
export interface Profile {
  /** Locator of the member. FHIR `Patient.identifier`. */
  readonly partyLocator?: string;
  /** Name of the member. FHIR HumanName. */
  readonly name?: {
    /** Given name. FHIR `HumanName.given`. */
    readonly given?: string;
    /** Family name. FHIR `HumanName.family`. */
    readonly family?: string;
    /** Full name for display. FHIR `HumanName.text`. */
    readonly display?: string;
  };
  /** Date of birth. FHIR `Patient.birthDate`. */
  readonly dateOfBirth?: string;
  /** Postal address. FHIR Address. */
  readonly address?: {
    /** Street address. FHIR `Address.line`, first line. */
    readonly line1?: string | null;
    /** Address supplement. FHIR `Address.line`, second line. */
    readonly line2?: string | null;
    /** City. FHIR `Address.city`. */
    readonly city?: string | null;
    /** State or region. FHIR `Address.state`; in the US, the two-letter postal abbreviation. */
    readonly state?: string | null;
    /** Postal code. FHIR `Address.postalCode`. */
    readonly postalCode?: string | null;
    /** Country. FHIR `Address.country`: ISO 3166-1 alpha-2. */
    readonly country?: string | null;
  };
  /** Phone numbers. FHIR `Patient.telecom`. */
  readonly phones?: readonly {
    /** Use of the phone number. FHIR `ContactPoint.use`. */
    readonly type?: 'home' | 'work' | 'temp' | 'old' | 'mobile' | (string & {});
    /** Phone number with country code (ITU-T E.164, hyphens allowed). */
    readonly number?: string;
    /** Whether this is the preferred contact point. FHIR: `ContactPoint.rank` 1. */
    readonly preferred?: boolean;
  }[];
  /** Email addresses. FHIR `Patient.telecom`. */
  readonly emails?: readonly {
    /** Use of the email address. FHIR `ContactPoint.use`. */
    readonly type?: string;
    /** The email address. FHIR `ContactPoint.value`. */
    readonly address?: string;
    /** Whether this is the preferred contact point. FHIR: `ContactPoint.rank` 1. */
    readonly preferred?: boolean;
  }[];
  /** The languages in which to communicate with the member. */
  readonly languages?: readonly {
    /** BCP 47 language tag. */
    readonly code?: string;
    /** Whether this is the preferred language. FHIR `communication.preferred`. */
    readonly preferred?: boolean;
  }[];
  /** Time of the last change. FHIR `Patient.meta.lastUpdated`. */
  readonly updatedAt?: string;
}

/** The preferences as stored by the notification service. Recommended: these six; the service may add others. */
export interface StoredPreferences {
  /** Send notifications by email. */
  readonly email?: boolean;
  /** Send notifications by text message. */
  readonly sms?: boolean;
  /** Send push notifications to the member’s devices. */
  readonly push?: boolean;
  /** Notify about claims. */
  readonly claimsUpdates?: boolean;
  /** Notify about bills. */
  readonly billingAlerts?: boolean;
  /** Notify about enrollment. */
  readonly enrollmentReminders?: boolean;
}

/** The member’s notifications, newest first. */
export interface NotificationList {
  /** The notifications. */
  readonly notifications?: readonly Notification[];
}

/** A notification. Recommended: FHIR R4 Communication. Portico uses only `id`, which identifies the notification. */
export interface Notification {
  /** Id of the notification. FHIR `Communication.identifier`. */
  readonly id?: string;
  /** Title of the notification. FHIR `Communication.topic`. */
  readonly title?: string;
  /** Text of the notification. FHIR `Communication.payload`. */
  readonly body?: string;
  /** Topic of the notification. FHIR `Communication.category`. */
  readonly category?: string;
  /** How the notification is displayed. */
  readonly severity?: string;
  /** Time at which the notification was created. FHIR `Communication.sent`. */
  readonly createdAt?: string;
  /** Whether the member has seen it. FHIR `Communication.received`. */
  readonly read?: boolean;
}

/** The delivery log, newest first. */
export interface NotificationLog {
  /** The log entries, one per channel of a message. */
  readonly log?: readonly {
    /** The id of the log entry. */
    readonly id?: string;
    /** Delivery channel. FHIR `Communication.medium`. */
    readonly channel?: 'email' | 'sms' | 'push' | (string & {});
    /** Message template. */
    readonly template?: string;
    /** Recipient, masked. */
    readonly to?: string;
    /** Delivery status. FHIR `Communication.status`. */
    readonly status?: string;
    /** Time at which the message was sent. FHIR `Communication.sent`. */
    readonly sentAt?: string;
  }[];
}

/** The member’s consent state. Recommended: one FHIR R4 Consent per purpose. */
export interface ConsentState {
  /** One consent per purpose. */
  readonly consents?: readonly {
    /** Locator of the consent. FHIR `Consent.identifier`. */
    readonly locator?: string;
    /** Purpose of the consent. FHIR `Consent.provision.purpose`. */
    readonly purpose?: string;
    /** State of the consent. FHIR: `Consent.provision.type` `permit` or `deny`; `withdrawn` corresponds to `Consent.status` `inactive`. */
    readonly state?: 'granted' | 'denied' | 'withdrawn' | (string & {});
    /** Version of the consent text. FHIR `Consent.policy.uri`. */
    readonly version?: string;
    /** Time of the last change. FHIR `Consent.dateTime`. */
    readonly updatedAt?: string;
  }[];
}

/** The body of each member call. Portico relays bodies without a check: a service may send something else. */
export interface MemberBodies {
  readonly getCoverage: Coverage;
  readonly getAccumulators: Accumulators;
  readonly listClaims: ClaimList;
  readonly submitClaim: Claim;
  readonly getClaim: Claim;
  readonly listDocuments: DocumentList;
  readonly getProfile: Profile;
  readonly patchProfile: Profile;
  readonly getPreferences: StoredPreferences;
  readonly putPreferences: StoredPreferences;
  readonly listNotifications: NotificationList;
  readonly readNotificationLog: NotificationLog;
  readonly getConsent: ConsentState;
  readonly putConsent: ConsentState;
}
