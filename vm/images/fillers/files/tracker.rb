# Puts a firm into Redmine. The firm is JSON in the variable FIRM.
require "json"
# Otherwise a thread of its own looks for whom to notify, and finds the database locked.
ActiveJob::Base.queue_adapter = :inline
Setting.autologin = 3650 # days for which the desktop user's browser stays logged in
firm = JSON.parse(ENV.fetch("FIRM"))
opened = {}
people = firm["people"].to_h do |one|
  user = User.find_by(login: one["login"]) || User.new(language: "en", mail_notification: "none", status: User::STATUS_ACTIVE)
  first, last = one["name"].split(" ", 2)
  user.firstname, user.lastname, user.mail = first, last, "#{one['login']}@firm.test"
  user.login = one["login"]
  user.password = SecureRandom.hex(16) if user.new_record?
  user.save!
  [one["login"], user]
end
manager, member = Role.find_by!(name: "Manager"), Role.find_by!(name: "Developer")
statuses = IssueStatus.all.to_h { |one| [one.name, one] }
trackers = Tracker.all.to_h { |one| [one.name, one] }
priorities = IssuePriority.all.to_h { |one| [one.name, one] }
firm["projects"].each do |given|
  customer = firm["customers"].find { |one| one["id"] == given["customer"] }
  project = Project.new(name: given["name"], identifier: given["identifier"], is_public: true,
                        description: "Customer #{customer['id']}, #{customer['city']}. Contact: #{customer['contact']}.")
  project.trackers = Tracker.all
  project.save!
  (given["members"] + ["user"]).each do |login|
    role = login == given["manager"] ? manager : member
    Member.create!(project: project, principal: people.fetch(login), roles: [role])
  end
  given["tickets"].each do |ticket|
    User.current = people.fetch(ticket["author"])
    issue = Issue.new(project: project, author: User.current, subject: ticket["subject"], description: ticket["text"],
                      tracker: trackers.fetch(ticket["kind"]), priority: priorities.fetch(ticket["priority"]),
                      status: statuses.fetch(ticket["status"]), due_date: Date.parse(ticket["due"]),
                      estimated_hours: ticket["hours"], start_date: nil,
                      assigned_to: ticket["assignee"].empty? ? nil : people.fetch(ticket["assignee"]))
    issue.notify = false
    issue.save!
    opened[issue.id] = Time.utc(*ticket["day"].split("-").map(&:to_i), 9)
  end
end
# At the end, because saving an issue changes others of its project.
firm_began = opened.values.min - 30 * 86_400
[User, Project, Member].each { |one| one.update_all(created_on: firm_began) }
[User, Project].each { |one| one.update_all(updated_on: firm_began) }
opened.each do |id, time|
  Issue.where(id: id).update_all(created_on: time, updated_on: time)
  Issue.where(id: id).where.not(closed_on: nil).update_all(closed_on: time)
end
