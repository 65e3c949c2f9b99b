"""Every operation of AWS that moto implements, called through the guest's `service_call`."""
