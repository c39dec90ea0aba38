package io.sluice.coordinator.application;

import io.sluice.coordinator.registry.ApplicationRecord;

/** An application at one moment. */
public record ApplicationView(ApplicationRecord application, int shuffles) {}
